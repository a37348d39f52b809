/** `down`: every circuit is open, so requests are refused before a charge. */
export type ChainState =
  | { status: 'ok' | 'degraded'; blockNumber: bigint | null }
  | { status: 'down'; retryAfterSeconds: number };

/** Health of one RPC URL. Identified by its position, from 1, because the URL may contain a key. */
export interface NodeState {
  position: number;
  /** Not used for now: its circuit is open, or it sent `Retry-After`. */
  isCircuitOpen: boolean;
  failuresInARow: number;
  /** Smoothed response time; undefined before the first response. */
  latencyMs: number | undefined;
  /** The latest block that it returned. */
  head: bigint | undefined;
  /** It cannot run the lens: its answers have the flag `QUOTERS_ONLY`. */
  isQuotersOnly: boolean;
}
