import type { RequestListener } from 'node:http';
import type { BrokenHow } from '../../http/answerBrokenRequests.ts';

/** What takes time: each is measured by itself. */
type Phase = 'verify' | 'settle' | 'engine' | 'store' | 'rpc' | 'vendor';

/** One piece of work. Its words are from lists of ours; nothing that a caller, a token or a vendor sends is among them. */
interface Piece {
  phase: Phase;
  /** What of the phase: a network, a procedure, a step of the store, a chain, a vendor. */
  of: string;
  /** Which RPC URL of the chain, from 1. The URL may carry a key and is never named. */
  endpoint?: number;
}

/** How a piece ended, in a word of ours; `ok` and `failed` where nothing better is known. */
interface Ends<T> {
  ended?(value: T): string;
  failed?(error: unknown): string;
}

/** What happens, and takes no time worth measuring. */
type Happening =
  /** A question of the engine: its answer still stood, was being made, or had to be made. */
  | { kind: 'asked'; of: 'quote' | 'check'; answer: 'stood' | 'joined' | 'made' }
  /** A wallet had had its share of this minute. */
  | { kind: 'wallet limited' }
  /** An MCP tool that there is was called; over HTTP that is 200 whatever came of it, here it has REST's status. */
  | { kind: 'tool called'; tool: string; status: number }
  /** What came was no request that could be read. */
  | { kind: 'broken request'; how: BrokenHow };

/** Whoever looks at the process from outside: metrics, traces, both, or nobody. */
export interface Watch {
  /** Looks at each request that the listener answers. */
  request(listener: RequestListener): RequestListener;
  /** Runs work, and notes how long it took and how it ended. Resolves and rejects as the work does. */
  piece<T>(piece: Piece, work: () => Promise<T>, ends?: Ends<T>): Promise<T>;
  happened(happening: Happening): void;
}

/** Nobody looks: costs nothing. */
export const unwatched: Watch = {
  request: (listener) => listener,
  piece: (_piece, work) => work(),
  happened: () => undefined,
};

/** Two look at the same. */
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
