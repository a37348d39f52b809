import { UnexpectedAnswerError } from '../errors.ts';

/** The result of one attempt. `lost`: whether the request arrived is unknown. */
export type Attempt =
  | { kind: 'response'; status: number; headers: Headers; body: unknown }
  | { kind: 'lost'; cause: unknown };

export interface Patience {
  /** Maximum number of attempts. */
  attempts: number;
  /** Timeout of one attempt in milliseconds. It includes settlement on chain. */
  attemptMs: number;
  /** Longest wait between attempts in milliseconds; limits Retry-After. */
  longestWaitMs: number;
}

export const usualPatience: Patience = { attempts: 6, attemptMs: 60_000, longestWaitMs: 30_000 };

/** Statuses to retry. After a signature also 500, because the service keeps the payment. */
const retryUnsigned = new Set([429, 503]);
const retrySigned = new Set([429, 500, 503]);

export interface Sending {
  fetch: typeof fetch;
  url: string;
  body: string;
  paymentSignature?: string;
  patience: Patience;
  /** Aborts the current attempt, which then counts as lost, and the waiting. */
  signal?: AbortSignal | undefined;
  onWait?: (waitMs: number, attempt: Attempt) => void;
}

/**
 * Sends a request and retries it unchanged while it is lost or has a retryable status. Repeating a signature is safe: the
 * service charges it once. Returns the last attempt.
 */
export async function send(sending: Sending): Promise<Attempt> {
  const { patience, paymentSignature, signal, onWait } = sending;
  const retryable = paymentSignature === undefined ? retryUnsigned : retrySigned;
  for (let count = 1; ; count += 1) {
    const attempt = await sendOnce(sending);
    const isRetryable = attempt.kind === 'lost' || retryable.has(attempt.status);
    if (!isRetryable || count >= patience.attempts || signal?.aborted) return attempt;
    const waitMs = Math.min(waitOf(attempt, count), patience.longestWaitMs);
    onWait?.(waitMs, attempt);
    await pause(waitMs, signal);
    if (signal?.aborted) return attempt;
  }
}

/** Resolves after the time, or as soon as the signal is aborted. */
function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal?.addEventListener('abort', end);
  });
}

function waitOf(attempt: Attempt, count: number): number {
  const seconds = attempt.kind === 'response' ? Number(attempt.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 500 * 2 ** count;
}

async function sendOnce({ fetch, url, body, paymentSignature, patience, signal: caller }: Sending): Promise<Attempt> {
  const headers = {
    'content-type': 'application/json',
    ...(paymentSignature !== undefined && { 'payment-signature': paymentSignature }),
  };
  let response: Response;
  let text: string;
  try {
    const timeout = AbortSignal.timeout(patience.attemptMs);
    const signal = caller ? AbortSignal.any([timeout, caller]) : timeout;
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    text = await response.text();
  } catch (cause) {
    // Any error means that no complete response arrived.
    return { kind: 'lost', cause };
  }
  return {
    kind: 'response',
    status: response.status,
    headers: response.headers,
    body: parse(text, response.status, paymentSignature),
  };
}

function parse(text: string, status: number, paymentSignature: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // A 502 or 503 page of a proxy is an outage.
    if (status >= 500) return undefined;
    const signed = paymentSignature === undefined ? ' Nothing was signed.' : '';
    throw new UnexpectedAnswerError(
      `The answer (${status}) is not JSON.${signed} Is this the address of a truefill service?`,
      { cause },
    );
  }
}
