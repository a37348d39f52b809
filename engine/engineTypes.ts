import type { Address } from 'viem';
import type { ChainName } from './chain/chains.ts';
import type { CodeReading } from './chain/readCode.ts';
import type { RpcEndpoint } from './chain/rpcEndpoint.ts';
import type { PretradeOptions } from './pretrade/createPretrade.ts';
import type { PretradeAnswer, PretradeQuestion } from './pretrade/pretradeTypes.ts';
import type { AnswerFound } from './quote/answerCache.ts';
import type { AnswerShare } from './quote/answerShare.ts';
import type { QuoteAnswer, QuoteQuestion } from './quote/quoteTypes.ts';
import type { V4PoolShape } from './venues/uniswapV4/row.ts';
import type { VenueRow } from './venues/venueTypes.ts';

/** What the engine asks the process for. Nothing else reaches the outside. */
export interface EnginePorts {
  /** RPC endpoints by chain, best first; a chain that is absent is not served. */
  rpc: Partial<Record<ChainName, readonly RpcEndpoint[]>>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How long pool state stays good, by chain (decisions §4: 4 s, 5 s, 2 s). */
  freshnessMs: Record<ChainName, number>;
  /** Longest time one answer may take, in milliseconds. */
  deadlineMs: number;
  /** Older than this, a newest block is told to be old and lowers the confidence. Absent: block times say nothing. */
  oldBlockMs?: number;
  /** Fee, spacing and hook of v4 pools to look for beside those in `venues/deployments`. */
  extraV4Shapes?: Partial<Record<ChainName, readonly V4PoolShape[]>>;
  /** Where processes share their answers; absent: this one is alone. */
  share?: AnswerShare;
  /** Vendors and memory of the pre-trade check. Absent: what rests on them is unknown. */
  pretrade?: PretradeOptions;
  /** Told of each question: its answer still stood, was being made, or had to be made. */
  onAsked?: (of: 'quote' | 'check', answer: AnswerFound) => void;
  /** Venues to ask beside those in `venues/deployments`, which holds confirmed addresses only. */
  extraVenues?: Partial<Record<ChainName, readonly VenueRow[]>>;
}

/** `down` means: the circuit is open, refuse before charging. `retryAfterSeconds` belongs to it. */
export type ChainState =
  | { status: 'ok' | 'degraded'; blockNumber: bigint | null }
  | { status: 'down'; retryAfterSeconds: number };

/** What was measured at one RPC URL; known by its position, from 1, never by the URL. */
export interface NodeState {
  position: number;
  /** Left alone for now: its circuit is open, or it asked to be. */
  isResting: boolean;
  failuresInARow: number;
  /** Smoothed time of an answer; undefined before the first. */
  latencyMs: number | undefined;
  /** The latest block it showed. */
  head: bigint | undefined;
  /** It cannot run the lens: answers of it are flagged `QUOTERS_ONLY`. */
  isQuotersOnly: boolean;
}

export interface Engine {
  /** Chains with at least one endpoint. */
  readonly chains: readonly ChainName[];
  /**
   * Start-up self-test: chain ids, lens rung. Resolves also when a chain is down; its state says so.
   * @throws {WrongChainError} when an endpoint serves another chain id.
   */
  start(): Promise<void>;
  /** Cheap, from memory: touches no RPC. */
  chainState(chain: ChainName): ChainState;
  /** The same for each node of a chain, in the order of the configuration. */
  nodeStates(chain: ChainName): NodeState[];
  /**
   * For whoever is about to charge: makes sure that the chain can be read. Returns at once when it was read a moment
   * ago, and asks a node for its head otherwise.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  reach(chain: ChainName): Promise<void>;
  /**
   * Whether an address has code, at a recent block. A contract is remembered for an hour, an address without code
   * until pool state would be read again.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  readCode(chain: ChainName, address: Address): Promise<CodeReading>;
  /**
   * The price at which the full size really fills, at one block. Until `validUntil` the same answer to all who ask.
   * `signal` lets one asker go without ending the read for the others; its reason is then thrown.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  quote(question: QuoteQuestion, options?: { signal?: AbortSignal }): Promise<QuoteAnswer>;
}

export interface PretradeChecker {
  /**
   * What is proven about one token on Base, and what a trader needs to know, at one block. `signal` lets one asker go
   * without ending the read for the others; its reason is then thrown.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  check(question: PretradeQuestion, options?: { signal?: AbortSignal }): Promise<PretradeAnswer>;
}
