import type { NodeCapabilities } from './capabilities.ts';
import type { ChainName } from './chains.ts';
import type { Pace } from './rpcEndpoint.ts';

/**
 * `down`: every circuit is open, or no node can answer the call (`reason`), so requests are refused before a charge.
 */
export type ChainState =
  | { status: 'ok' | 'degraded'; blockNumber: bigint | null }
  | { status: 'down'; retryAfterSeconds: number; reason?: string };

/** A node that answers, but not as fully as an answer needs. */
export interface NodeFault {
  chain: ChainName;
  /** The label of its endpoint. */
  node: string;
  fault: string;
}

/** Health of one RPC URL. Identified by its position, from 1, because the URL may contain a key. */
export interface NodeState {
  position: number;
  /** Not used for now: its circuit is open, or it sent `Retry-After`. */
  isCircuitOpen: boolean;
  failuresInARow: number;
  /** Smoothed response time; undefined before the first response. */
  latencyMs: number | undefined;
  /** Age of its latest block in milliseconds, when that was requested; undefined before the first one. */
  headAgeMs: number | undefined;
  /** It cannot run the lens: its answers have the flag `QUOTERS_ONLY`. */
  isQuotersOnly: boolean;
  capabilities: NodeCapabilities;
  /** The requests that it accepts; undefined: no limit is known. */
  budget: ReturnType<Pace['budget']>;
  /** The message of the last failure; undefined after a success. It contains no URL. */
  failure: string | undefined;
}
