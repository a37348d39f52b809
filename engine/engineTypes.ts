import type { Address } from 'viem';
import type { Product } from './chain/capabilities.ts';
import type { ChainState, NodeFault, NodeState } from './chain/chainState.ts';
import type { ChainName } from './chain/chains.ts';
import type { DeploymentState } from './chain/deploymentMemory.ts';
import type { CodeReading } from './chain/readCode.ts';
import type { RpcEndpoint } from './chain/rpcEndpoint.ts';
import type { AnyCase } from './lowerAddress.ts';
import type { PoolHintSource } from './pools/poolHints.ts';
import type { PoolIndex, WeightedIndex } from './pools/poolIndex.ts';
import type { PretradeOptions } from './pretrade/createPretrade.ts';
import type { PretradeAnswer, PretradeQuery } from './pretrade/pretradeTypes.ts';
import type { QuoteAnswer, QuoteQuery, QuoteRequest } from './quote/quoteTypes.ts';
import type { AnswerShare, LookupResult } from './quote/share/answerCache.ts';
import type { BuiltTransaction, TransactionOrder } from './quote/transaction/buildTransaction.ts';
import type { V4PoolShape, VenueRow } from './venues/venueTypes.ts';

/** Dependencies of the engine. It has no other access to the outside. */
export interface EnginePorts {
  /** RPC endpoints by chain, best first. A chain without an entry is not served. */
  rpc: Partial<Record<ChainName, readonly RpcEndpoint[]>>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Validity of pool state by chain: 4 s on Base, 5 s on Polygon, 2 s on Arbitrum by default. */
  freshnessMs: Record<ChainName, number>;
  /** Deadline of one answer, in milliseconds. */
  deadlineMs: number;
  /** Age in milliseconds above which the latest block adds a flag and low confidence. Undefined: no limit. */
  oldBlockMs?: number;
  /** Fee, spacing and hook of v4 pools to read in addition to those in `venues/deployments`. */
  extraV4Shapes?: Partial<Record<ChainName, readonly AnyCase<V4PoolShape>[]>>;
  /** Cached answers that processes share. Undefined: this process shares none. */
  share?: AnswerShare;
  /** The indexes of pools by chain, for quotes. On Base it defaults to that of the pretrade check. */
  poolIndexes?: Partial<Record<ChainName, PoolIndex & WeightedIndex>>;
  /** Third parties that list pools of a token, by chain. Asked while the factories' logs cannot be read in full. */
  poolHints?: Partial<Record<ChainName, readonly PoolHintSource[]>>;
  /** Vendors and memory of the pretrade check. Without them, values that need them are unknown. */
  pretrade?: PretradeOptions;
  /** Called after the cache lookup of each quote and pretrade check. */
  onLookup?: (of: 'quote' | 'check', result: LookupResult) => void;
  /** Called when a node answers, but a check lacks its simulated trades. */
  onNodeFault?: (fault: NodeFault) => void;
  /** Venues to read in addition to `venues/deployments`, which contains confirmed addresses only. */
  extraVenues?: Partial<Record<ChainName, readonly AnyCase<VenueRow>[]>>;
  /** Factories, in lower case, whose pools have other code than on the real chain. Only the sandbox has any. */
  standInFactories?: Partial<Record<ChainName, ReadonlySet<string>>>;
  /** Versions of the executor that the operator has withdrawn. */
  withdrawnExecutors?: readonly number[];
}

export interface Engine {
  /** Chains with at least one endpoint. */
  readonly chains: readonly ChainName[];
  /**
   * Checks chain ids and state overrides at start-up. Also resolves when a chain is down; `chainState` reports that.
   * @throws {WrongChainError} an endpoint serves another chain id
   */
  start(): Promise<void>;
  /** From memory, without an RPC request. @param product also `down` if no node can answer this call */
  chainState(chain: ChainName, product?: Product): ChainState;
  /** The state of each node of a chain, in the order of the configuration. */
  nodeStates(chain: ChainName): NodeState[];
  /**
   * Call before a charge: ensures that the chain can be read, that a node has what this call needs, and that its request
   * budget is not used up. Returns at once if the chain was read a moment ago, otherwise reads the head from a node.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  reach(chain: ChainName, product: Product): Promise<void>;
  /**
   * Whether an address has code, at a recent block. A contract is cached for an hour, an address without code as long as
   * pool state.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  readCode(chain: ChainName, address: Address): Promise<CodeReading>;
  /**
   * The executable price of the full size, at one block. Until `validUntil` every caller gets the same answer. Aborting
   * `signal` throws its reason and does not cancel the shared read.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  quote(query: QuoteQuery | QuoteRequest, options?: { signal?: AbortSignal }): Promise<QuoteAnswer>;
  /**
   * Reads the market of a query while its payment settles, so that the quote after it needs one request. Never rejects. No
   * answer contains what was read here: the quote reads the chain again.
   */
  prepare(query: QuoteQuery | QuoteRequest): Promise<void>;
  /** Whether the executor can be used on a chain. From memory, without an RPC request. */
  executorState(chain: ChainName): DeploymentState;
  /** Whether the deployed lenses are used on a chain. From memory, without an RPC request. */
  lensState(chain: ChainName): DeploymentState;
  /** Reads the code of executor and lenses on each chain where the last result is old. A failure keeps that result. */
  refreshDeployments(): Promise<void>;
  /**
   * The transaction that executes a quote through the executor. Sends no request.
   * @throws {TransactionOrderError} the order cannot be executed
   */
  buildTransaction(chain: ChainName, order: TransactionOrder): BuiltTransaction;
}

export interface PretradeChecker {
  /**
   * Verdict and facts about one token on Base, at one block. Aborting `signal` throws its reason and does not cancel the
   * shared read. A free check has the same answer, but no search in the background continues after it.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  check(query: PretradeQuery, options?: { signal?: AbortSignal; isFree?: boolean }): Promise<PretradeAnswer>;
}
