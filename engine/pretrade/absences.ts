import type { Asked } from './askVendors.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { PretradeAnswer } from './pretradeTypes.ts';

/** Which of the three kinds of nothing a null is. */
export type Absence = { kind: 'none' | 'unread' | 'not-asked'; reason: string };

type Nothing = Exclude<Asked<unknown>, { status: 'known' }>;

/** What distinguishes the kinds, beside the answer itself. `undefined`: known, so that its null has another cause. */
export interface AbsenceFacts {
  holders: Nothing | undefined;
  firstTransfer: Nothing | undefined;
  creator: Nothing | undefined;
  market: Nothing | undefined;
  topHolderMove: Nothing | undefined;
  hasCode: boolean;
  /** All code that runs could be analysed. */
  codeRead: boolean;
  /** Why a power may have been missed; null if every function was tried and judged. */
  blacklistGap: string | null;
  mintGap: string | null;
  /** `owner()` or `getOwner()` answered with something that is no address. */
  ownerAnsweredOddly: boolean;
  /** The quote's own read. */
  marketRead: boolean;
  /** Why there is no quote; null: there is one. */
  quoteGap: string | null;
  /** Every reader got the same decimals. */
  decimalsAgree: boolean;
  isStable: boolean;
  /** The registry has a feed of the token; it answered. */
  hasFeed: boolean;
  feedRead: boolean;
  /** Balances of holders, and of the creator, were read. */
  balancesRead: boolean;
  creatorBalanceRead: boolean;
  /** Where no pool can be traded in nothing was simulated. */
  plans: number;
  trade: Pick<TransferFinding, 'canBuy' | 'canSell' | 'gaps' | 'outcome'>;
}

type Unattributed = Omit<PretradeAnswer, 'sources'>;
type Rule = readonly [path: RegExp, why: (facts: AbsenceFacts, answer: Unattributed) => Absence];

const none = (reason: string): Absence => ({ kind: 'none', reason });
const unread = (reason: string): Absence => ({ kind: 'unread', reason });
const notAsked = (reason: string): Absence => ({ kind: 'not-asked', reason });
const of = (asked: Nothing | undefined, otherwise: Absence): Absence =>
  asked ? { kind: asked.status, reason: asked.reason } : otherwise;
const noCode = none('there is no contract at this address');

/** First match wins. */
const rules: readonly Rule[] = [
  [/^flags\.F-CONC\.value$/, whyNoHolders],
  [/^flags\.F-AGE\.value$/, ({ firstTransfer }) => of(firstTransfer, unread('the source returned no time'))],
  [/^flags\.F-FOT\.value$/, whyNoTax],
  [
    /^flags\.O-SANITY\.value$/,
    (facts, answer) => whyNoDeviation(facts, answer, unread(answer.flags['O-SANITY'].reason)),
  ],
  [/^flags\.F-LIQ\.value$/, (_facts, { flags }) => unread(flags['F-LIQ'].reason)],
  [/^flags\.[^.]+\.cachedAgeSec$/, () => none('no stored measurement was used')],
  [/^risk_profile\.age\./, ({ firstTransfer }) => of(firstTransfer, unread('the source returned no time'))],
  [/^risk_profile\.concentration\.holdersExact$/, (facts, answer) => whyNoExactCount(facts, answer)],
  [/^risk_profile\.concentration\.holders$/, (facts, answer) => whyNoCount(facts, answer)],
  [
    /^risk_profile\.concentration\.ageSec$/,
    (facts, { risk_profile }) =>
      risk_profile.concentration.stale === false ? none('measured on this call') : whyNoHolders(facts),
  ],
  [/^risk_profile\.concentration\./, whyNoHolders],
  [/^risk_profile\.liquidity\.largestPoolSharePct$/, whyNoShare],
  [/^risk_profile\.liquidity\.(poolCount|venueCount)$/, () => unread('no factory could be read')],
  [/^liquidityCoverage\./, () => unread('no factory could be read')],
  [
    /^risk_profile\.liquidity\./,
    () => unread('not every venue could be measured, or its assets have no known USD price'),
  ],
  [/^risk_profile\.oracle\.source$/, () => none('no price feed is known for this token')],
  [/^risk_profile\.oracle\./, (facts, answer) => whyNoDeviation(facts, answer, unread('the feed has no price'))],
  [/^risk_profile\.transferability\.(sellTaxRaw|buyTaxRaw)$/, whyNoTax],
  [/^risk_profile\.transferability\.tradingEnabled$/, whyNoGate],
  [/^risk_profile\.transferability\.hasBlacklist$/, whyNoPower(({ blacklistGap }) => blacklistGap)],
  [/^risk_profile\.transferability\.hasMaxLimit$/, whyNoTax],
  [/^risk_profile\.transferability\./, whyNoCode],
  [/^quote$/, whyNoQuote],
  [/^quote\./, () => none('no pool has a reliable mid price')],
  [/^identity\.totalSupply$/, whyNoAnswer('decimals() or totalSupply() cannot be read')],
  [/^identity\.(name|symbol)$/, whyNoAnswer('the contract returns no text')],
  [/^identity\./, whyNoAnswer('the contract returns no valid value')],
  [
    /^valuation\./,
    (facts, answer) =>
      answer.quote === null ? whyNoQuote(facts) : whyNoAnswer('decimals() or totalSupply() cannot be read')(facts),
  ],
  [/^ownership\.(ownerAddress|ownerRenounced)$/, whyNoOwner],
  [/^ownership\.isMintable$/, whyNoPower(({ mintGap }) => mintGap)],
  [/^ownership\.creatorAddress$/, ({ creator }) => of(creator, none('the source returned no address'))],
  [/^ownership\.creator/, whyNoCreatorBalance],
  [/^dormancy\./, (facts, answer) => whyNoMove(facts, answer)],
  [/^market\./, ({ market }) => of(market, none('the source has no such number'))],
];

/**
 * Why a value of the answer is null.
 * @throws {TypeError} for a leaf without a rule, which is a defect in this service
 */
export function absenceOf(path: string, answer: Unattributed, facts: AbsenceFacts): Absence {
  const rule = rules.find(([pattern]) => pattern.test(path));
  if (!rule) throw new TypeError(`No reason why ${path} may be null.`);
  return rule[1](facts, answer);
}

function whyNoHolders({ holders, balancesRead, hasCode }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  return of(holders, unread(balancesRead ? 'the chain contradicts the list of holders' : 'balances could not be read'));
}

function whyNoCount(facts: AbsenceFacts, { risk_profile }: Unattributed): Absence {
  if (risk_profile.concentration.source === null) return whyNoHolders(facts);
  return none(`${risk_profile.concentration.source} returns no count`);
}

function whyNoExactCount(facts: AbsenceFacts, { risk_profile }: Unattributed): Absence {
  if (risk_profile.concentration.source === null) return whyNoHolders(facts);
  return none(`${risk_profile.concentration.source} has no exact count`);
}

function whyNoShare(_facts: AbsenceFacts, { risk_profile }: Unattributed): Absence {
  const { poolCount, exitLiquidityUsd } = risk_profile.liquidity;
  if (poolCount === 0) return none('there is no pool');
  return exitLiquidityUsd === null
    ? unread('the pools pay in assets without a known USD price')
    : none('no pool pays anything');
}

function whyNoDeviation(
  { hasFeed, feedRead }: AbsenceFacts,
  { risk_profile }: Unattributed,
  otherwise: Absence,
): Absence {
  if (!hasFeed) return none('no price feed is known for this token');
  if (!feedRead) return unread('the feed could not be read, or has no price');
  return risk_profile.oracle.deviationBps === null ? none('no pool has a price to compare with the feed') : otherwise;
}

function whyNoTax({ plans, trade, hasCode }: AbsenceFacts, { liquidityCoverage }: Unattributed): Absence {
  if (!hasCode) return noCode;
  const { venuesUnread, unmeasuredVenueNames } = liquidityCoverage;
  if (plans === 0 && venuesUnread) return unread('a venue could not be read');
  if (plans === 0 && unmeasuredVenueNames.length > 0)
    return unread(`no trade can be simulated on ${unmeasuredVenueNames.join(', ')}`);
  if (plans === 0) return none('there is no pool to trade in');
  if (trade.canBuy === false) return none('a simulated purchase is refused, so no tax applies');
  if (trade.outcome === 'sale-blocked') return none('every simulated sale is refused, so no tax applies');
  return unread(trade.gaps[0] ?? 'no trade could be simulated');
}

function whyNoGate({ plans, trade, hasCode, codeRead }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  if (!codeRead) return unread('the bytecode could not be analysed completely');
  if (plans > 0 && trade.canBuy === null) return unread(trade.gaps[0] ?? 'no trade could be simulated');
  return none('simulated trades are refused, and no gate of the token reads closed');
}

function whyNoCode({ hasCode }: AbsenceFacts): Absence {
  return hasCode ? unread('the bytecode could not be analysed completely') : noCode;
}

function whyNoPower(gapOf: (facts: AbsenceFacts) => string | null): (facts: AbsenceFacts) => Absence {
  return (facts) => (facts.hasCode ? unread(gapOf(facts) ?? 'not every owner function was tried') : noCode);
}

function whyNoQuote({ isStable, marketRead, hasCode, decimalsAgree, quoteGap }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  const reason = quoteGap ?? 'there is no quote';
  if (isStable) return notAsked(reason);
  return marketRead && decimalsAgree ? none(reason) : unread(reason);
}

function whyNoAnswer(reason: string): (facts: AbsenceFacts) => Absence {
  return ({ hasCode }) => (hasCode ? none(reason) : noCode);
}

function whyNoOwner({ hasCode, ownerAnsweredOddly }: AbsenceFacts): Absence {
  if (!hasCode) return noCode;
  return none(ownerAnsweredOddly ? 'owner() returns no address' : 'there is no owner(), which does not mean renounced');
}

function whyNoCreatorBalance({ creator, creatorBalanceRead }: AbsenceFacts): Absence {
  if (creator) return { kind: creator.status, reason: creator.reason };
  if (!creatorBalanceRead) return unread('the creator’s balance could not be read');
  return none('decimals() or totalSupply() cannot be read');
}

function whyNoMove(facts: AbsenceFacts, { risk_profile }: Unattributed): Absence {
  if (risk_profile.concentration.source === null) return whyNoHolders(facts);
  return of(facts.topHolderMove, none('no holder is a wallet'));
}
