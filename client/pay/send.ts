import { UnexpectedAnswerError } from '../errors.ts';

/** The result of one attempt. `lost`: no complete response arrived; the service may have received the request. */
export type Attempt =
  | { kind: 'response'; status: number; headers: Headers; body: unknown }
  | { kind: 'lost'; cause: unknown };

/** Limits of the retries of a request. */
export interface RetryOptions {
  /** Maximum number of attempts. */
  attempts: number;
  /** Timeout of one attempt in milliseconds. It includes settlement on chain. */
  attemptMs: number;
  /** Maximum wait between attempts in milliseconds. It also limits Retry-After. */
  longestWaitMs: number;
}

export const defaultRetry: RetryOptions = { attempts: 6, attemptMs: 60_000, longestWaitMs: 30_000 };

/**
 * Retryable statuses. With a signature also the other server errors: a retry is charged at most once, while a new
 * signature could be charged again.
 */
const retryUnsigned = new Set([429, 503]);
const retrySigned = new Set([429, 500, 502, 503, 504]);

export interface Sending {
  fetch: typeof fetch;
  url: string;
  body: string;
  paymentSignature?: string;
  retry: RetryOptions;
  /** Aborts the current attempt, which then counts as lost, or the current wait. */
  signal?: AbortSignal | undefined;
  onWait?: (waitMs: number, attempt: Attempt) => void;
  /** Whether a retryable response is the last one nevertheless. */
  endsEarly?: (attempt: Attempt) => Promise<boolean>;
}

/**
 * Sends a request. Repeats it unchanged while the connection is lost or the status is retryable. This is safe with a
 * signature: the service charges it once.
 * @returns the last attempt
 * @throws {UnexpectedAnswerError} a response below status 500 is not JSON, or is a redirect
 */
export async function send(sending: Sending): Promise<Attempt> {
  const { retry, paymentSignature, signal, onWait, endsEarly } = sending;
  const retryable = paymentSignature === undefined ? retryUnsigned : retrySigned;
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    const attempt = await sendOnce(sending);
    const isRetryable = attempt.kind === 'lost' || retryable.has(attempt.status);
    if (!isRetryable || signal?.aborted || (await endsEarly?.(attempt))) return attempt;
    if (attemptNumber >= retry.attempts) return attempt;
    const waitMs = Math.min(waitAfter(attempt, attemptNumber), retry.longestWaitMs);
    onWait?.(waitMs, attempt);
    await pause(waitMs, signal);
    if (signal?.aborted) return attempt;
  }
}

/** Resolves after `waitMs`, or when the signal is aborted. */
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

/** Milliseconds: Retry-After if the response has one, else exponential backoff. */
function waitAfter(attempt: Attempt, attemptNumber: number): number {
  const seconds = attempt.kind === 'response' ? Number(attempt.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 500 * 2 ** attemptNumber;
}

async function sendOnce({ fetch, url, body, paymentSignature, retry, signal: caller }: Sending): Promise<Attempt> {
  const headers = {
    'content-type': 'application/json',
    ...(paymentSignature !== undefined && { 'payment-signature': paymentSignature }),
  };
  let response: Response;
  let text: string;
  try {
    const timeout = AbortSignal.timeout(retry.attemptMs);
    const signal = caller ? AbortSignal.any([timeout, caller]) : timeout;
    response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    text = await response.text();
  } catch (cause) {
    // Any error means that no complete response arrived.
    return { kind: 'lost', cause };
  }
  assertNoRedirect(response, url, paymentSignature);
  return {
    kind: 'response',
    status: response.status,
    headers: response.headers,
    body: parse(text, response.status, paymentSignature),
  };
}

const nothingSigned = (paymentSignature: string | undefined): string =>
  paymentSignature === undefined ? ' Nothing was signed.' : '';

/**
 * Redirects are not followed: a payment is for the configured service only. Browsers hide the target of a redirect.
 * @throws {UnexpectedAnswerError}
 */
function assertNoRedirect(
  { type, status, headers }: Response,
  url: string,
  paymentSignature: string | undefined,
): void {
  const location = headers.get('location');
  if (type !== 'opaqueredirect' && (status < 300 || status > 399 || location === null)) return;
  const target = location !== null && URL.canParse(location, url) ? new URL(location, url).host : 'another address';
  throw new UnexpectedAnswerError(
    `${new URL(url).host} redirects to ${target}.${nothingSigned(paymentSignature)} The client follows no redirects. If you trust the target, set it as the service's url.`,
  );
}

function parse(text: string, status: number, paymentSignature: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // For example the 502 page of a proxy: an outage.
    if (status >= 500) return undefined;
    throw new UnexpectedAnswerError(
      `The response (${status}) is not JSON.${nothingSigned(paymentSignature)} Is this the address of a truefill service?`,
      { cause },
    );
  }
}
