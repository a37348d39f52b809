import type { Hex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';

// Data that the check gets from the process, besides the chain. Without a configured source a value is `not requested`,
// null from a source is `not found`, and a `VendorUnavailableError` is `read failed`.

/** Faults of a vendor. None of them is evidence about the token. */
export type VendorFault =
  | 'timeout'
  | 'unreachable'
  | 'rate-limited'
  | 'refused'
  | 'server-error'
  | 'malformed'
  | 'too-large'
  | 'wrong-token'
  /** A read of the chain contradicts the answer. */
  | 'unconfirmed'
  | 'not-indexed';

/** A vendor could not be read. The message names the vendor's label and the fault; never a URL or a key. */
export class VendorUnavailableError extends Error {
  override readonly name = 'VendorUnavailableError';
  constructor(
    readonly vendor: string,
    readonly fault: VendorFault,
    options?: ErrorOptions & { retryAfterSeconds?: number },
  ) {
    super(`${vendor} could not be read: ${fault}.`, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
  readonly retryAfterSeconds: number | undefined;
}

/** The label of the own index over Transfer logs, which reads the chain and no third party. */
export const ownIndexLabel = 'logs';

export interface FetchOptions {
  signal: AbortSignal;
  /** A free call: no payment covers it, so a source must not continue in the background after the signal. */
  isFree?: boolean;
}

/** Possible largest holders. The engine reads their balances and the supply again at its block. */
export interface HolderCandidates {
  holders: { address: LowerAddress; rawBalanceHint: bigint | null }[];
  /** The exact number of holders, when the source knows it. */
  exactCount: number | null;
  /** A count that the source calls approximate, or that may be incomplete. */
  approximateCount: number | null;
  source: string;
  /** Milliseconds since the epoch for which the source's data is valid; for a live vendor: now. */
  measuredAt: number;
  /** The block up to which the source has indexed, if it returns one. */
  asOfBlock: bigint | null;
}

/** A source of one fact. `null`: it knows none. @throws {VendorUnavailableError} */
type FactSource<Name extends string, Fact> = { readonly label: string } & {
  readonly [Fetch in Name]: (token: LowerAddress, options: FetchOptions) => Promise<Fact | null>;
};

export type HolderSource = FactSource<'fetchTopHolders', HolderCandidates>;

/** Immutable, so it is stored for ever. `sender` sent the transaction of the first transfer. */
export interface FirstTransfer {
  blockNumber: bigint;
  /** Seconds since the epoch. */
  timestamp: number;
  sender: LowerAddress | null;
  transactionHash: Hex | null;
  source: string;
}

/** null: the source has indexed the whole chain and knows no transfer. */
export type FirstTransferSource = FactSource<'fetchFirstTransfer', FirstTransfer>;

/** The last transfer that a holder sent. */
export interface HolderMove {
  blockNumber: bigint;
  timestamp: number;
  source: string;
}

export interface HolderMoveSource {
  readonly label: string;
  /** null: the holder never sent the token. @throws {VendorUnavailableError} */
  fetchLastMove(token: LowerAddress, holder: LowerAddress, options: FetchOptions): Promise<HolderMove | null>;
}

export interface Creator {
  address: LowerAddress;
  source: string;
  /** The address is inferred: it sent the first transfer. */
  isSender?: boolean;
}

export type CreatorSource = FactSource<'fetchCreator', Creator>;

/** Third-party numbers, republished unchanged. */
export interface Market {
  priceUsdSpot: number | null;
  volume24hUsd: number | null;
  marketCapUsd: number | null;
  holderCount: number | null;
  source: string;
}

export type MarketSource = FactSource<'fetchMarket', Market>;

/** A measurement of holders by the engine, stored with its time. */
export interface HolderMeasurement {
  measuredAt: number;
  blockNumber: bigint;
  source: string;
  top1SharePct: number;
  top10SharePct: number;
  holders: number | null;
  holdersExact: number | null;
  topHolder: LowerAddress | null;
  note: string;
}

/** Simulated effect of a privileged function. */
export const powerEffects = ['block-holder', 'block-all-sales', 'limit-trades', 'raise-tax', 'mint', 'seize'] as const;
export type PowerEffect = (typeof powerEffects)[number];

/** Accounts that may have a power, as words of a sentence. */
export const powerCallerWords = {
  owner: 'the owner',
  'proxy-admin': 'the proxy admin',
  creator: 'the creator',
  'former owner': 'a former owner',
  'role holder': 'a role holder',
  'bridge predeploy': 'the Superchain bridge, a predeploy of the chain,',
  'account in storage': "an account in the token's storage",
  'account in code': "an account in the token's code",
} as const;
export type PowerCaller = keyof typeof powerCallerWords;
export const powerCallers = Object.keys(powerCallerWords) as PowerCaller[];

export interface Power {
  selector: Hex;
  /** Argument types as read from the bytecode: `address,bool`. */
  args: string;
  /** The function's name if the selector is known. */
  name: string | null;
  effect: PowerEffect;
  caller: PowerCaller;
}

/** One scan of one code under one kind of owner. Serialisable as JSON: it contains no bigints. */
export interface PowerScan {
  scannedAt: number;
  blockNumber: number;
  functionsTried: number;
  callsTried: number;
  /** True when the cap left functions untried. */
  truncated: boolean;
  /** Whether an ordinary wallet could trade without these calls. If not, no effect of a call can be detected. */
  controlTraded: boolean;
  /** Selectors of functions that no tried caller could execute. */
  functionsRefused: Hex[];
  powers: Power[];
}

/**
 * Durable storage. If it throws, the engine works without it and adds a reason.
 * `scanKey` is an opaque string (code hash and kind of owner).
 */
export interface FactStore {
  loadFirstTransfer(token: LowerAddress): Promise<FirstTransfer | undefined>;
  saveFirstTransfer(token: LowerAddress, fact: FirstTransfer): Promise<void>;
  loadCreator(token: LowerAddress): Promise<Creator | undefined>;
  saveCreator(token: LowerAddress, fact: Creator): Promise<void>;
  loadHolders(token: LowerAddress): Promise<HolderMeasurement | undefined>;
  saveHolders(token: LowerAddress, measurement: HolderMeasurement): Promise<void>;
  loadPowers(scanKey: string): Promise<PowerScan | undefined>;
  savePowers(scanKey: string, scan: PowerScan): Promise<void>;
}

/** Sources are queried in order until one responds. An empty list: not requested. */
export interface PretradeVendors {
  holders: readonly HolderSource[];
  firstTransfer: readonly FirstTransferSource[];
  holderMoves: readonly HolderMoveSource[];
  creator: readonly CreatorSource[];
  market: readonly MarketSource[];
  /**
   * A sentence about the progress of a background search for a token's holders and first transfer; undefined if there is
   * nothing to state. It is added to the reason of a value that could not be read.
   */
  describeSearch?: (token: LowerAddress) => string | undefined;
}
