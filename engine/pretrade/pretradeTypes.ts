import type { Address } from 'viem';
import type { Confidence } from '../quote/quoteTypes.ts';
import type { Market } from './pretradePorts.ts';

/** The query of a check. Without `sizeUsd` the size is 1,000 USD; the answer contains the size used. */
export interface PretradeQuery {
  chain: 'base';
  /** Either letter case. */
  token: Address;
  sizeUsd?: string;
}

export type Verdict = 'avoid' | 'clear';

/** The complete list: nothing else can produce `avoid`. */
export const triggerNames = ['NO_EXIT_VENUE', 'EXIT_LIQUIDITY_DRAINED', 'TRADING_DISABLED'] as const;
export type Trigger = (typeof triggerNames)[number];

/** Name of the signal of each section of the risk profile. */
export const signalNameOf = {
  liquidity: 'F-LIQ',
  concentration: 'F-CONC',
  age: 'F-AGE',
  transferability: 'F-FOT',
  oracle: 'O-SANITY',
} as const satisfies Record<keyof RiskProfile, string>;
export type SignalName = (typeof signalNameOf)[keyof RiskProfile];
export const signalNames = Object.values(signalNameOf);

export const severities = ['none', 'low', 'medium', 'high', 'unknown'] as const;
type Severity = (typeof severities)[number];

/** Units of signal values. */
export const units = ['usd', 'percent', 'days', 'fraction', 'bps'] as const;
type Unit = (typeof units)[number];

/** A raw signal. `value` is null exactly when the severity is `unknown`; `reason` then states the cause. */
export interface Signal {
  severity: Severity;
  value: number | null;
  unit: Unit;
  reason: string;
  /** Age of a stored value in seconds; null: read on this call, or no value. */
  cachedAgeSec: number | null;
}

/** Results of an ordinary wallet's simulated trades, the most severe first. An answer contains the first that applies. */
export const outcomeMeanings = {
  'purchase-blocked': 'a purchase is refused',
  'sale-blocked':
    'a purchase works; simulated sales a minute (at least 60 simulated blocks) and a day (at least 128 simulated blocks) later are refused',
  'sale-blocked-for-a-time': 'a sale is refused in the block after the purchase and works later',
  'size-limited': 'the requested size cannot be bought or sold at once; a part of it can',
  'sale-blocked-same-block-only': 'a sale is refused in the block of the purchase and works in the next',
  'contract-wallets-only-blocked': 'an ordinary wallet can trade; a contract wallet cannot',
  tradable: 'a purchase and sales work',
  unknown: 'trades could not be simulated, or the results contradict each other',
} as const;
export type Outcome = keyof typeof outcomeMeanings;
export const outcomes = Object.keys(outcomeMeanings) as [Outcome, ...Outcome[]];

export interface AgeSection {
  ageDays: number | null;
  genesisBlock: number | null;
  note: string;
}

/**
 * `ageSec` null and `stale` false: read on this call. A number: measured that many seconds ago.
 * `stale` true: the source is unavailable, and the values are the last known ones. `stale` null: there is no value.
 */
export interface ConcentrationSection {
  /** 0…100. */
  top1SharePct: number | null;
  top10SharePct: number | null;
  holders: number | null;
  /** Only when the exact count is known. */
  holdersExact: number | null;
  source: string | null;
  asOfBlock: number | null;
  ageSec: number | null;
  stale: boolean | null;
  note: string;
}

export interface LiquiditySection {
  poolCount: number | null;
  venueCount: number | null;
  largestPoolSharePct: number | null;
  /** USD that sales receive until the price falls to 1/100 of the current one, before token taxes. */
  exitLiquidityUsd: number | null;
  note: string;
}

export interface OracleSection {
  source: string | null;
  /** Deviation of the pools' mid from the feed: (mid / feed − 1) · 10⁴. */
  deviationBps: number | null;
  stalenessSec: number | null;
  note: string;
}

export interface TransferabilitySection {
  /**
   * What the token and a pool's hook take, as a fraction (0.05 = 5 %); negative if a transfer credits more than it debits.
   * null: not measured.
   */
  sellTaxRaw: number | null;
  buyTaxRaw: number | null;
  /** What a purchase of the size and its sale in the next block return, in percent. null: not simulated. */
  roundTripPct: number | null;
  hasBlacklist: boolean | null;
  hasMaxLimit: boolean | null;
  tradingEnabled: boolean | null;
  outcome: Outcome;
  /** `none`, or words of `fingerprints.ts` joined by `, `. `unknown`: no bytecode was read. */
  fingerprints: string;
  note: string;
}

export interface RiskProfile {
  age: AgeSection;
  concentration: ConcentrationSection;
  liquidity: LiquiditySection;
  oracle: OracleSection;
  transferability: TransferabilitySection;
}

/** `router/pretrade/liquidityCoverage.ts` describes the fields. */
export interface LiquidityCoverage {
  conclusive: boolean;
  poolsFound: number | null;
  factoriesChecked: number;
  unmeasuredVenues: number;
  unmeasuredVenueNames: string[];
  venuesUnread: number | null;
  singletonPoolsSeen: number | null;
  singletonPoolsCounted: number | null;
  singletonPoolsRejected: number | null;
  singletonPoolsHooked: number | null;
  singletonScanTruncated: boolean | null;
  asOfBlockFirst: number | null;
  asOfBlock: number | null;
}

export interface PretradeQuote {
  direction: string;
  tokenIn: Address;
  tokenOut: Address;
  executablePrice: number;
  priceImpactBps: number | null;
  depthAtSize: number;
  worstCaseSlippageBps: number | null;
  confidence: Confidence;
}

export interface IdentityBlock {
  /** Sanitized: no control characters, no bidirectional overrides, at most 64 (name) and 32 (symbol) characters. */
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  /** Whole tokens, rounded to the precision of a double. */
  totalSupply: number | null;
  totalSupplyRaw: bigint | null;
  note: string;
}

export interface ValuationBlock {
  fdvExecutableUsd: number | null;
  basis: string | null;
  note: string;
}

export interface OwnershipBlock {
  ownerAddress: Address | null;
  /** null: owner() returned no value, which does not mean that ownership is renounced. */
  ownerRenounced: boolean | null;
  isMintable: boolean | null;
  creatorAddress: Address | null;
  /** Whole tokens. */
  creatorBalance: number | null;
  creatorSharePct: number | null;
  note: string;
}

export interface DormancyBlock {
  topHolderIdleDays: number | null;
  lastTopHolderMoveBlock: number | null;
  headBlock: number | null;
  note: string;
}

export interface MarketBlock extends Omit<Market, 'source'> {
  note: string;
}

/** The complete answer, before bigints are encoded; `sources` has one entry for every leaf (see `sources.ts`). */
export interface PretradeAnswer {
  chain: 'base';
  token: Address;
  verdict: Verdict;
  triggers: Trigger[];
  confidence: Confidence;
  reasons: string[];
  risk_profile: RiskProfile;
  flags: Record<SignalName, Signal>;
  quote: PretradeQuote | null;
  sizeUSD: string;
  ts: number;
  validUntil: number;
  coverage: { axesExpected: number; axesReporting: number };
  liquidityCoverage: LiquidityCoverage;
  identity: IdentityBlock;
  valuation: ValuationBlock;
  ownership: OwnershipBlock;
  dormancy: DormancyBlock;
  market: MarketBlock;
  sources: Record<string, string> & { note: string };
}

/** Words in `transferability.fingerprints`, in addition to those of `outcome`. */
export const patternMeanings = {
  'contract-wallets-blocked': 'a contract wallet cannot trade',
  'contract-wallets-taxed': 'a contract wallet pays a higher tax; reasons states it',
  'same-block-sale-blocked': 'a sale in the block of the purchase is refused',
  'next-block-sale-blocked': 'a sale in the block after the purchase is refused',
  'gas-price-dependent': 'a high gas price makes a trade fail, or raises its tax',
  'receiver-cannot-sell': 'a wallet that received tokens by transfer cannot sell',
  'size-limited': 'the requested size cannot be bought or sold at once; a part of it can',
  'purchase-tax': 'buyTaxRaw is above zero',
  'sale-tax': 'sellTaxRaw is above zero',
  'sale-tax-changes': 'the tax of a sale depends on the time since the purchase; reasons lists the taxes',
  'transfer-tax': 'a transfer between wallets is taxed',
  'tax-differs-by-pool': 'the sale tax differs between pools; note lists the taxes',
  'lies-to-simulations': 'sales work only if a simulation replaces the router',
  'refuses-simulations': 'sales are refused only if a simulation replaces the router',
  rebasing: 'balances change without a transfer',
  paused: 'paused() returns true',
  'proxy-eip-1967': 'a proxy with the storage slots of EIP-1967',
  'proxy-beacon': 'a beacon proxy',
  'proxy-minimal': 'a minimal clone (EIP-1167)',
  'proxy-eip-897': 'a proxy that names its implementation (EIP-897)',
  'proxy-zeppelinos': "a proxy with ZeppelinOS's storage slot",
  'proxy-eip-1822': 'a proxy with the storage slot of EIP-1822',
  'proxy-diamond': 'a diamond (EIP-2535)',
  'blacklist-function': 'the code contains a function whose name suggests a blacklist',
  'limit-function': 'the code contains a function whose name suggests a limit on trades',
  'mint-function': 'the code contains a function whose name suggests a mint',
  'pause-function': 'the code contains a function whose name suggests a pause',
  'tax-function': 'the code contains a function whose name suggests a tax',
  'b20-asset': 'a B20 asset: the node executes the token, and its roles and policies decide',
  'b20-stablecoin': 'a B20 stablecoin: the node executes the token, and its roles and policies decide',
  'transfer-policy': 'a policy of the B20 token decides who may send, receive or move it',
  'owner-can-block-a-holder':
    'a privileged account can block the sales of one holder: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-block-all-sales':
    'a privileged account can block all sales: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-limit-trades': "a privileged account's simulated call limits the size or time of trades",
  'owner-can-raise-the-tax': "a privileged account's simulated call raises the tax",
  'owner-can-mint':
    'a privileged account can mint, or raise a balance: shown by a simulated call, or by roles and policies of a B20 token',
  'owner-can-seize-balances':
    'a privileged account can take tokens from a holder: shown by a simulated call, or by roles and policies of a B20 token',
} as const;

export type Pattern = keyof typeof patternMeanings;
