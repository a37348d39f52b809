import { UnexpectedAnswerError } from '../errors.ts';

/** What one attempt came to. `lost`: nobody knows whether the request arrived. */
export type Attempt =
  | { kind: 'response'; status: number; headers: Headers; body: unknown }
  | { kind: 'lost'; cause: unknown };

export interface Patience {
  /** How often a request is sent at most. */
  attempts: number;
  /** How long one attempt may take, in milliseconds; settling takes as long as the chain does. */
  attemptMs: number;
  /** The longest wait between two, in milliseconds, whatever Retry-After says. */
  longestWaitMs: number;
}

export const usualPatience: Patience = { attempts: 6, attemptMs: 60_000, longestWaitMs: 30_000 };

/** Statuses that say: later, the same again. After a signature a 500 is one too, because the payment is kept. */
const laterUnsigned = new Set([429, 503]);
const laterSigned = new Set([429, 500, 503]);

export interface Sending {
  fetch: typeof fetch;
  url: string;
  body: string;
  paymentSignature?: string;
  patience: Patience;
  /** Ends the attempt under way and the waiting; what was sent so far counts as lost. */
  signal?: AbortSignal | undefined;
  onWait?: (waitMs: number, attempt: Attempt) => void;
}

/**
 * Sends a request, and the very same one again while it is lost or put off: with a signature in it that is safe, for a
 * signature is charged once. The last attempt is returned whatever it is.
 */
export async function send(sending: Sending): Promise<Attempt> {
  const { patience, paymentSignature, signal, onWait } = sending;
  const later = paymentSignature === undefined ? laterUnsigned : laterSigned;
  for (let count = 1; ; count += 1) {
    const attempt = await sendOnce(sending);
    const again = attempt.kind === 'lost' || later.has(attempt.status);
    if (!again || count >= patience.attempts || signal?.aborted) return attempt;
    const waitMs = Math.min(waitOf(attempt, count), patience.longestWaitMs);
    onWait?.(waitMs, attempt);
    await pause(waitMs, signal);
    if (signal?.aborted) return attempt;
  }
}

/** Resolves after the time, or as soon as the signal is aborted. */
function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
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
  const told = attempt.kind === 'response' ? Number(attempt.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return Number.isFinite(told) && told >= 0 ? told * 1000 : 500 * 2 ** count;
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
    // Whatever fetch throws, no whole answer came.
    return { kind: 'lost', cause };
  }
  return { kind: 'response', status: response.status, headers: response.headers, body: parse(text, response.status) };
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // A proxy's page with a 502 or 503 is an outage, not an answer.
    if (status >= 500) return undefined;
    throw new UnexpectedAnswerError(`The answer (${status}) is not JSON. Is this the address of a truefill service?`, {
      cause,
    });
  }
}
