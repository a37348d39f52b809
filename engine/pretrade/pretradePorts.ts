import type { Address, Hex } from 'viem';

/**
 * What the check asks the process for, beside the chain. Three kinds of nothing stay apart:
 * no source given = not asked; null = the source answered that there is none; `VendorUnavailableError` = unread.
 */

/** The ways a vendor can fail us. Never a statement about the token. */
export type VendorFault =
  | 'timeout'
  | 'unreachable'
  | 'rate-limited'
  | 'refused'
  | 'server-error'
  | 'malformed'
  | 'too-large'
  | 'wrong-token'
  /** The chain does not bear out what it says. */
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
}

/** Who may hold most. Only candidates: balances and supply are read again by the engine at its block. */
export interface HolderCandidates {
  holders: { address: Address; rawBalanceHint: bigint | null }[];
  /** The exact number of holders, when the source knows it. */
  exactCount: number | null;
  /** A count that the source calls approximate or that we cannot call exact. */
  approximateCount: number | null;
  source: string;
  /** Epoch milliseconds at which the source's data was good; for a live vendor: now. */
  measuredAt: number;
  /** The block up to which the source has indexed, when it says. */
  asOfBlock: bigint | null;
}

export interface HolderSource {
  readonly label: string;
  /** @throws {VendorUnavailableError} */
  fetchTopHolders(token: Address, options: FetchOptions): Promise<HolderCandidates | null>;
}

/** Immutable: stored for ever once known. `sender` is who sent the transaction of the first transfer. */
export interface FirstTransfer {
  blockNumber: bigint;
  /** Seconds since the epoch. */
  timestamp: number;
  sender: Address | null;
  transactionHash: Hex | null;
  source: string;
}

export interface FirstTransferSource {
  readonly label: string;
  /** null: the source has indexed the whole chain and knows no transfer. @throws {VendorUnavailableError} */
  fetchFirstTransfer(token: Address, options: FetchOptions): Promise<FirstTransfer | null>;
}

/** The last time a holder sent the token away. */
export interface HolderMove {
  blockNumber: bigint;
  timestamp: number;
  source: string;
}

export interface HolderMoveSource {
  readonly label: string;
  /** null: it never sent any. @throws {VendorUnavailableError} */
  fetchLastMove(token: Address, holder: Address, options: FetchOptions): Promise<HolderMove | null>;
}

export interface Creator {
  address: Address;
  source: string;
  /** Inferred: it sent the first transfer. */
  isSender?: boolean;
}

export interface CreatorSource {
  readonly label: string;
  /** @throws {VendorUnavailableError} */
  fetchCreator(token: Address, options: FetchOptions): Promise<Creator | null>;
}

/** Third-party numbers, republished as-is. */
export interface Market {
  priceUsdSpot: number | null;
  volume24hUsd: number | null;
  marketCapUsd: number | null;
  holderCount: number | null;
  source: string;
}

export interface MarketSource {
  readonly label: string;
  /** null: the vendor does not list the token. @throws {VendorUnavailableError} */
  fetchMarket(token: Address, options: FetchOptions): Promise<Market | null>;
}

/** A measurement of holders by the engine, kept with its real age. */
export interface HolderMeasurement {
  measuredAt: number;
  blockNumber: bigint;
  source: string;
  top1SharePct: number;
  top10SharePct: number;
  holders: number | null;
  holdersExact: number | null;
  topHolder: Address | null;
  note: string;
}

/** What a caller of a privileged function was seen to bring about in the simulation. */
export const powerEffects = ['block-holder', 'block-all-sales', 'limit-trades', 'raise-tax', 'mint', 'seize'] as const;
export type PowerEffect = (typeof powerEffects)[number];

export const powerCallers = [
  'owner',
  'proxy-admin',
  'creator',
  'former owner',
  'role holder',
  'account in storage',
  'account in code',
] as const;
export type PowerCaller = (typeof powerCallers)[number];

export interface Power {
  selector: Hex;
  /** Argument types as read from the bytecode: `address,bool`. */
  args: string;
  /** The function's name where the selector is a known one. */
  name: string | null;
  effect: PowerEffect;
  caller: PowerCaller;
}

/** One scan of one code under one kind of owner. JSON-able but for nothing: no bigints inside. */
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
 * Durable memory. A store that fails throws; the engine then works without it and says so in a reason.
 * `scanKey` is an opaque string (code hash and kind of owner).
 */
export interface FactStore {
  loadFirstTransfer(token: Address): Promise<FirstTransfer | undefined>;
  saveFirstTransfer(token: Address, fact: FirstTransfer): Promise<void>;
  loadCreator(token: Address): Promise<Creator | undefined>;
  saveCreator(token: Address, fact: Creator): Promise<void>;
  loadHolders(token: Address): Promise<HolderMeasurement | undefined>;
  saveHolders(token: Address, measurement: HolderMeasurement): Promise<void>;
  loadPowers(scanKey: string): Promise<PowerScan | undefined>;
  savePowers(scanKey: string, scan: PowerScan): Promise<void>;
}

/** A pool as in its factory's log, whatever its tokens. Addresses are lower case. */
export interface PoolCreation {
  event: 'pair' | 'v3' | 'slipstream' | 'solidly' | 'algebra' | 'algebra-custom' | 'v4';
  factory: Address;
  /** The pool's address, or its 32-byte id on a singleton. */
  id: Hex;
  currency0: Address;
  currency1: Address;
  /** Pips; of a Solidly pool 1 = stable. 0 where the event has none. */
  fee: number;
  tickSpacing: number;
  hooks: Address;
  blockNumber: number;
}

/** What an index holds of one token's pools. */
export interface IndexedPools {
  creations: PoolCreation[];
  /** There are more than these. */
  truncated: boolean;
  /** All blocks up to this one were read. */
  scannedTo: bigint;
  /** The longest range of blocks that the chain's nodes were seen to take; undefined: no limit was met. */
  longestRange: number | undefined;
  /** The chain's head when it was last looked at; undefined: not by this process. */
  seenHead: bigint | undefined;
}

/**
 * Every pool in the covered factories' logs, read in the background, because many nodes refuse logs of all blocks at once.
 * The caller reads the blocks after `scannedTo`.
 */
export interface PoolIndex {
  /** undefined: no block was read yet. Throws when the memory fails. */
  load(token: Address): Promise<IndexedPools | undefined>;
  /** A node refused the blocks that the index does not hold: it is wanted. */
  wake(): void;
}

/** Sources are asked in order; the first that answers wins. An empty list: not asked. */
export interface PretradeVendors {
  holders: readonly HolderSource[];
  firstTransfer: readonly FirstTransferSource[];
  holderMoves: readonly HolderMoveSource[];
  creator: readonly CreatorSource[];
  market: readonly MarketSource[];
}
