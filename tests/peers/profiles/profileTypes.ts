/** Limits on `eth_getLogs`. Each is refused with the words of an endpoint that has it. */
export interface LogLimits {
  /** Blocks of a query. */
  blocks?: number;
  /** Logs of a reply. */
  results?: number;
  /** Addresses of a query. */
  addresses?: number;
}

/** How an endpoint writes what the node returns. */
export interface Writing {
  /** Quantities of at most 64 bits have a leading zero. */
  leadingZero?: boolean;
  /** Hashes are in upper case. */
  upperCaseHashes?: boolean;
  /** Fields of a block that are missing. */
  withoutFields?: readonly string[];
}

/** What a simulated endpoint does. Absent: as the node behind it. */
export interface ProfileRules {
  /**
   * `eth_simulateV1`: refused as an unknown method, or with the rules of a node: gaps between simulated blocks are filled
   * with blocks `fillSeconds` apart, and the filler blocks are returned. A missing time is that of the previous block plus
   * `fillSeconds`. Times must rise.
   */
  simulation?: 'refused' | { fillSeconds: number };
  /**
   * Calls are answered by backends at different blocks. `by`: a backend is drawn for each call, or for each HTTP request.
   * `every`: only each nth call is behind; otherwise half of them, at random.
   */
  lag?: { blocks: number; by: 'call' | 'request'; every?: number };
  /** More calls in a batch than this are refused with this HTTP status and error. 1: no batches. */
  batch?: { calls: number; status: number; code: number; message: string };
  overrides?: 'refused';
  /** Only the latest block can be read. */
  pastBlocks?: 'refused';
  /** Calls with a higher gas limit are refused. */
  gasCap?: number;
  maxReplyBytes?: number;
  /**
   * On Arbitrum, gas for each byte of a call's data, taken from the call's own gas. `skips`: the node has the field
   * `skipL1Charging`. `clamp`: higher gas limits are lowered to this before.
   */
  l1Gas?: { perByte: number; skips: boolean; clamp?: number };
  /** A token bucket of this many units for all chains together, refilled each second. */
  unitsPerSecond?: number;
  /** Share of the HTTP requests that fail with this status. */
  failures?: { share: number; status: number; retryAfterSeconds?: number };
  /** Every HTTP request fails with this status. */
  status?: number;
  delayMs?: number;
  logs?: LogLimits;
  writing?: Writing;
  /** Share of the calls with the result `null`. */
  nullShare?: number;
  /** Share of the HTTP responses that end in the middle. */
  cutShare?: number;
}

/** One kind of endpoint, with the public source of its behaviour. */
export interface Profile {
  name: string;
  source: string;
  rules: ProfileRules;
  /** Milliseconds between blocks. Default: those of each chain itself, 200 on Base. */
  blockMs?: number;
  /** What an answer may lack because of these rules. Default: nothing. */
  allows?:
    | 'checks uncharged'
    | 'quoters, checks uncharged'
    | 'nothing charged'
    /** `avoid` needs logs: without them the verdict is `clear` and `liquidityCoverage.conclusive` is false. */
    | 'inconclusive checks'
    | 'inconclusive checks, some uncharged';
}

export interface JsonCall {
  jsonrpc: '2.0';
  id: unknown;
  method: string;
  params: unknown[];
}

export type JsonReply = { jsonrpc: '2.0'; id: unknown } & (
  | { result: unknown }
  | { error: { code: number; message: string } }
);

export const refusal = (call: JsonCall, code: number, message: string): JsonReply => ({
  jsonrpc: '2.0',
  id: call.id,
  error: { code, message },
});
