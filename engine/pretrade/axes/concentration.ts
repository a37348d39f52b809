import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import {
  type Attribution,
  type Axis,
  derived,
  measured,
  none,
  vendor,
  type WhyNull,
  whyNoHolders,
} from '../attribution.ts';
import type { HolderBalances, ReadBalance } from '../checkInputs.ts';
import { isBurnAddress } from '../context/ownership.ts';
import { sentence, withoutStop } from '../context/sentence.ts';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { HolderCandidates, HolderMeasurement } from '../pretradePorts.ts';
import type { ConcentrationSection, Signal } from '../pretradeTypes.ts';

export interface ConcentrationInput {
  token: LowerAddress;
  candidates: VendorResult<HolderCandidates>;
  /** Undefined: balances were not read. */
  measured: HolderBalances | undefined;
  stored: HolderMeasurement | undefined;
  totalSupply: bigint | undefined;
  /** Pools and singletons found on chain. */
  pools: ReadonlySet<LowerAddress>;
  now: number;
}

export interface ConcentrationFinding {
  section: ConcentrationSection;
  signal: Signal;
  /** To be stored; undefined when nothing was measured on this call. */
  measurement: HolderMeasurement | undefined;
  /** The largest holder, excluding pools, burn addresses and the token itself. */
  topHolder: LowerAddress | null;
}

/** The concentration axis. Balances and supply are read on chain; the source returns only candidate addresses. */
export function weighConcentration(input: ConcentrationInput): ConcentrationFinding {
  const holdings = findHoldings(input);
  if (typeof holdings !== 'string') return fromBalances(input, holdings);
  // A vendor's reason is a full sentence; here it is embedded in another one.
  const why = withoutStop(holdings);
  if (input.stored) return fromStored(input.stored, input.now, why);
  const note = sentence(`Holders are unavailable: ${why}`);
  const none = { top1SharePct: null, top10SharePct: null, holders: null, holdersExact: null, source: null };
  return {
    section: { ...none, asOfBlock: null, ageSec: null, stale: null, note },
    signal: unknownSignal(note, null),
    measurement: undefined,
    topHolder: null,
  };
}

function fromBalances(
  { token, pools, now }: ConcentrationInput,
  { candidates, measured: { balances, blockNumber, unread }, totalSupply }: Holdings,
): ConcentrationFinding {
  const sorted = [...balances].sort((a, b) => (b.balance > a.balance ? 1 : b.balance < a.balance ? -1 : 0));
  const shareOf = (list: readonly { balance: bigint }[]) =>
    Number((list.reduce((sum, { balance }) => sum + balance, 0n) * 100_000_000n) / totalSupply) / 1e6;
  const roleOf = (address: LowerAddress) => {
    if (pools.has(address)) return 'pools';
    if (isBurnAddress(address)) return 'burn addresses';
    return address === token ? 'the token itself' : undefined;
  };
  const wallets = sorted.filter(({ address }) => roleOf(address) === undefined);
  const parts = ['pools', 'burn addresses', 'the token itself'].flatMap((role) => {
    const members = sorted.filter(({ address, balance }) => balance > 0n && roleOf(address) === role);
    return members.length > 0 ? [`${role} ${shareOf(members).toFixed(2)} %`] : [];
  });
  const walletShare = shareOf(wallets.slice(0, 10));
  const severity = walletShare > 80 ? 'high' : walletShare > 50 ? 'medium' : walletShare > 25 ? 'low' : 'none';
  const reason = `The ten largest holders have ${walletShare.toFixed(2)} % of the supply, excluding pools, burn addresses and the token itself.`;
  const note =
    `Shares include every holder. Of the balances read: ${parts.length > 0 ? parts.join(', ') : 'no pool or burn address'}; ` +
    `the ten largest other holders have ${walletShare.toFixed(2)} %.${describeUnread(unread)}`;
  const measurement: HolderMeasurement = {
    measuredAt: now,
    blockNumber,
    source: candidates.source,
    top1SharePct: shareOf(sorted.slice(0, 1)),
    top10SharePct: shareOf(sorted.slice(0, 10)),
    holders: candidates.exactCount ?? candidates.approximateCount,
    holdersExact: candidates.exactCount,
    topHolder: wallets[0]?.address ?? null,
    note,
  };
  return {
    section: toSection(measurement, { ageSec: null, stale: false, note }),
    signal: { severity, value: walletShare, unit: 'percent', reason, cachedAgeSec: null },
    measurement,
    topHolder: measurement.topHolder,
  };
}

function toSection(
  { top1SharePct, top10SharePct, holders, holdersExact, source, blockNumber }: HolderMeasurement,
  rest: Pick<ConcentrationSection, 'ageSec' | 'stale' | 'note'>,
): ConcentrationSection {
  return { top1SharePct, top10SharePct, holders, holdersExact, source, asOfBlock: Number(blockNumber), ...rest };
}

const describeUnread = (unread: number) =>
  unread > 0 ? ` ${unread} ${unread === 1 ? 'balance' : 'balances'} could not be read.` : '';

function fromStored(stored: HolderMeasurement, now: number, why: string): ConcentrationFinding {
  const ageSec = Math.max(0, Math.floor((now - stored.measuredAt) / 1000));
  const note = `Stored measurement, ${ageSec} s old, because holders could not be measured now (${why}). ${stored.note}`;
  return {
    section: toSection(stored, { ageSec, stale: true, note }),
    // Nothing was measured on this call, so the severity is unknown: a stored value must not clear the token.
    signal: unknownSignal(`Holders could not be measured on this call: ${why}.`, ageSec),
    measurement: undefined,
    topHolder: stored.topHolder,
  };
}

const unknownSignal = (reason: string, cachedAgeSec: number | null): Signal => ({
  severity: 'unknown',
  value: null,
  unit: 'percent',
  reason,
  cachedAgeSec,
});

interface Holdings {
  candidates: HolderCandidates;
  measured: HolderBalances;
  totalSupply: bigint;
}

/** The values from which shares are computed, or why they are unavailable. */
function findHoldings({ candidates, measured, totalSupply }: ConcentrationInput): Holdings | string {
  if (candidates.status !== 'known') return candidates.reason;
  if (totalSupply === undefined) return 'totalSupply() cannot be read';
  if (totalSupply === 0n) return 'the supply is zero';
  if (!measured || measured.balances.length === 0) return 'balances could not be read';
  // A missing holder may be the largest: shares of the rest would look harmless.
  if (measured.unreadListed > 0) return `balances of listed holders could not be read: ${measured.unreadListed}`;
  const contradiction = findHolderContradiction(candidates.value, measured.balances, totalSupply);
  if (contradiction) return `the chain contradicts ${candidates.value.source}: ${contradiction}`;
  return { candidates: candidates.value, measured, totalSupply };
}

/** Another source for values of a stored measurement: they are not of this call. */
const unlessStored =
  (source: Attribution): Attribution =>
  (composed, path, answer) =>
    answer.risk_profile.concentration.stale === true ? stored() : source(composed, path, answer);
const stored = derived('risk_profile.concentration.ageSec', 'a stored measurement of that age');
const shares = {
  source: unlessStored(
    derived('identity.totalSupplyRaw and risk_profile.concentration.asOfBlock', 'balances at this block'),
  ),
  whyNull: whyNoHolders,
};
const reported = vendor((_composed, { risk_profile }) => risk_profile.concentration.source);

/** The source returned holders, but not this number. */
const whyNoNumber =
  (missing: string): WhyNull =>
  (composed, { risk_profile: { concentration } }) =>
    concentration.source === null ? whyNoHolders(composed) : none(`${concentration.source} ${missing}`);

export const concentrationAxis: Axis<'concentration'> = {
  signal: derived('risk_profile.concentration'),
  whyNoValue: whyNoHolders,
  fields: {
    top1SharePct: shares,
    top10SharePct: shares,
    holders: { source: reported, whyNull: whyNoNumber('returns no count') },
    holdersExact: { source: reported, whyNull: whyNoNumber('has no exact count') },
    source: { source: reported, whyNull: whyNoHolders },
    asOfBlock: { source: unlessStored(measured), whyNull: whyNoHolders },
    // A number is the time since the stored measurement; null and not stale is one of this call (sources.ts).
    ageSec: {
      source: (_composed, _path, { risk_profile }) =>
        risk_profile.concentration.ageSec === null
          ? measured()
          : 'derived: ts; minus the time of the stored measurement',
      whyNull: whyNoHolders,
    },
    stale: { source: derived('risk_profile.concentration.ageSec'), whyNull: whyNoHolders },
  },
};

/** Tolerance in basis points of the supply: explorers lag by some blocks, and tokens round. */
const slackBps = 100n;

/**
 * Compares a list of top holders with balances at the block. Returns the contradiction if its balances are wrong, a larger
 * holder is missing, or its holder count is too small for the rest of the supply. Undefined without a contradiction.
 */
export function findHolderContradiction(
  { holders, exactCount, approximateCount }: HolderCandidates,
  balances: readonly ReadBalance[],
  totalSupply: bigint,
): string | undefined {
  const listed = balances.filter((entry) => entry.listed);
  const held = sum(listed.map(({ balance }) => balance));
  if (held === 0n) return 'none of the listed holders has a balance';
  const read = new Set(listed.map(({ address }) => address));
  const claims = holders.filter(({ address }) => read.has(address));
  if (held * 2n < sum(claims.map(({ rawBalanceHint }) => rawBalanceHint ?? 0n))) {
    return 'the listed holders have less than half of the balances that it reports';
  }

  const slack = (totalSupply * slackBps) / 10_000n;
  const [smallest = 0n] = listed.map(({ balance }) => balance).sort((a, b) => (a < b ? -1 : 1));
  // Explorers do not count burn addresses among the holders.
  const missing = balances.find(
    ({ address, balance, listed: isListed }) => !isListed && !isBurnAddress(address) && balance > smallest + slack,
  );
  if (missing) return `it omits ${getAddress(missing.address)}, which holds more than a listed holder`;

  const count = exactCount ?? approximateCount;
  if (count === null) return undefined;
  const unlisted = BigInt(Math.max(0, count - listed.length));
  const rest = totalSupply - sum(balances.map(({ balance }) => balance));
  if (rest > unlisted * smallest + slack) {
    const part = Number((rest * 10_000n) / totalSupply) / 100;
    return `${part} % of the supply must belong to more holders than it counts`;
  }
  return undefined;
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
