import type { RequestListener } from 'node:http';
import type { BrokenHow } from '../../http/answerBrokenRequests.ts';
import type { PaymentEvent } from '../../payments/index.ts';
import type { LogSearchEnd } from '../../vendors/index.ts';

/** Phases that are measured separately. */
type Phase = 'verify' | 'settle' | 'engine' | 'store' | 'rpc' | 'vendor';

/** One measured operation. Its labels are constants and never contain input from callers, tokens or vendors. */
interface Span {
  phase: Phase;
  /** The label: a network, a procedure, a step of the ledger, a chain or a vendor. */
  of: string;
  /** Position of the RPC URL, from 1. The URL may contain a key and is never exported. */
  endpoint?: number;
}

/** Maps a result to its outcome label; by default `ok` and `failed`. */
interface OutcomeLabels<T> {
  ended?(value: T): string;
  failed?(error: unknown): string;
}

/** Events without a duration. */
type InstrumentationEvent =
  /** A request to the engine: cache hit, coalesced with a running request, or miss. */
  | { kind: 'lookup'; of: 'quote' | 'check'; answer: 'hit' | 'coalesced' | 'miss' }
  /** A search in the logs of a token ended. */
  | { kind: 'log search ended'; end: LogSearchEnd }
  /** A payment attempt exceeded the wallet's rate limit. */
  | { kind: 'wallet limited' }
  /** A call of a known MCP tool, with the status that REST would return; over HTTP it is always 200. */
  | { kind: 'tool called'; tool: string; status: number }
  | PaymentEvent
  /** Bytes that are not a valid HTTP request. */
  | { kind: 'broken request'; how: BrokenHow };

/** Instrumentation of the process: metrics, traces, both, or neither. */
export interface Instrumentation {
  /** Measures each request of the listener. */
  request(listener: RequestListener): RequestListener;
  /** Runs work and records its duration and outcome. Resolves and rejects like the work. */
  span<T>(span: Span, work: () => Promise<T>, labels?: OutcomeLabels<T>): Promise<T>;
  /** Counts an event. */
  record(event: InstrumentationEvent): void;
}

/** No instrumentation. */
export const noInstrumentation: Instrumentation = {
  request: (listener) => listener,
  span: (_span, work) => work(),
  record: () => undefined,
};

/** Combines two instrumentations. */
export function combineInstrumentations(outer: Instrumentation, inner: Instrumentation): Instrumentation {
  return {
    request: (listener) => outer.request(inner.request(listener)),
    span: (span, work, labels) => outer.span(span, () => inner.span(span, work, labels), labels),
    record(event) {
      outer.record(event);
      inner.record(event);
    },
  };
}
