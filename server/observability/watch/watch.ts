import type { RequestListener } from 'node:http';
import type { BrokenHow } from '../../http/answerBrokenRequests.ts';
import type { PaymentEvent } from '../../payments/index.ts';

/** Phases that are measured separately. */
type Phase = 'verify' | 'settle' | 'engine' | 'store' | 'rpc' | 'vendor';

/** One measured operation. Its labels are constants and never contain input from callers, tokens or vendors. */
interface Piece {
  phase: Phase;
  /** A network, a procedure, a step of the store, a chain or a vendor. */
  of: string;
  /** Position of the RPC URL, from 1. The URL may contain a key and is never exported. */
  endpoint?: number;
}

/** Maps a result to its outcome label; by default `ok` and `failed`. */
interface Ends<T> {
  ended?(value: T): string;
  failed?(error: unknown): string;
}

/** Events without a duration. */
type Happening =
  /** A request to the engine: cache hit (`stood`), coalesced (`joined`) or miss (`made`). */
  | { kind: 'asked'; of: 'quote' | 'check'; answer: 'stood' | 'joined' | 'made' }
  /** A payment attempt exceeded the wallet's rate limit. */
  | { kind: 'wallet limited' }
  /** A call of a known MCP tool, with the status that REST would return; over HTTP it is always 200. */
  | { kind: 'tool called'; tool: string; status: number }
  | PaymentEvent
  /** What came was no request that could be read. */
  | { kind: 'broken request'; how: BrokenHow };

/** Instrumentation of the process: metrics, traces, both, or neither. */
export interface Watch {
  /** Measures each request of the listener. */
  request(listener: RequestListener): RequestListener;
  /** Runs work and records its duration and outcome. Resolves and rejects as the work does. */
  piece<T>(piece: Piece, work: () => Promise<T>, ends?: Ends<T>): Promise<T>;
  happened(happening: Happening): void;
}

/** No instrumentation. */
export const unwatched: Watch = {
  request: (listener) => listener,
  piece: (_piece, work) => work(),
  happened: () => undefined,
};

/** Combines two instrumentations. */
export function watchTogether(outer: Watch, inner: Watch): Watch {
  return {
    request: (listener) => outer.request(inner.request(listener)),
    piece: (piece, work, ends) => outer.piece(piece, () => inner.piece(piece, work, ends), ends),
    happened(happening) {
      outer.happened(happening);
      inner.happened(happening);
    },
  };
}
