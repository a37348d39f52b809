import { type AbsenceFacts, none, unread } from './attribution.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { B20Finding } from './b20/weighB20.ts';
import { groupsOf } from './bytecode/fingerprints.ts';
import type { CheckInputs } from './checkInputs.ts';
import type { VendorResult } from './fetchVendorFacts.ts';
import { powerGap } from './powers/powerGap.ts';
import type { TokenReading } from './tokenReading.ts';

/** The facts that decide why a value is null: not found, read failed or not requested. */
export function toAbsences(
  inputs: CheckInputs,
  { trade, b20 }: { trade: TransferFinding; b20: B20Finding | undefined },
  quoteGap: string | null,
): AbsenceFacts {
  const { environment, token, stable, reading, vendors, holderBalances, creatorBalance, topHolderMove } = inputs;
  const { exit, code, market, plans } = reading;
  const own = ownFeedOf(inputs);
  return {
    holders: unlessKnown(vendors.holders),
    firstTransfer: unlessKnown(vendors.firstTransfer),
    creator: unlessKnown(vendors.creator),
    market: unlessKnown(vendors.market),
    topHolderMove: unlessKnown(topHolderMove),
    hasCode: exit.hasCode,
    codeRead: b20 !== undefined || groupsOf(code) !== undefined,
    blacklistGap: b20 ? b20.hasBlacklist.why : powerGap(reading, 'blacklist'),
    mintGap: b20 ? b20.isMintable.why : powerGap(reading, 'mint'),
    b20AdminGap: b20 && adminGapOf(b20),
    isOwnerMalformed: exit.owner.ok || exit.getOwner.ok,
    marketRead: (market ?? inputs.planned) !== undefined && inputs.planned !== 'unread',
    quoteGap,
    decimalsAgree: decimalsAgree(reading),
    isStable: token === stable,
    hasFeed: environment.data.deployment.feeds[token] !== undefined,
    feedRead: own?.read === true && own.answer !== 0n,
    balancesRead: (holderBalances?.balances.length ?? 0) > 0,
    creatorBalanceRead: creatorBalance !== undefined,
    plans: plans.length,
    trade,
  };
}

/** Why the answer has no admin of a B20 token. */
const adminGapOf = ({ admins }: B20Finding) =>
  admins ? none('no account has DEFAULT_ADMIN_ROLE') : unread('the holders of DEFAULT_ADMIN_ROLE are not known');

/** Whether both lenses read the same decimals; true if only one of them was read. */
export const decimalsAgree = ({ exit, market }: Pick<TokenReading, 'exit' | 'market'>): boolean =>
  !market || market.read.states.tokens[1]?.decimals === exit.decimals;

/** Base assets have their feeds in the exit reading. */
export function ownFeedOf({ token, reading }: CheckInputs) {
  return reading.exit.bases.find((base) => base.token === token) ?? reading.feed;
}

const unlessKnown = <T>(result: VendorResult<T>) => (result.status === 'known' ? undefined : result);
