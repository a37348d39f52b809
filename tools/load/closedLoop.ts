import autocannon from 'autocannon';
import { percentile } from '../bench/statistics.ts';
import type { Measured } from './startMeasured.ts';

/** One kind of request; each may differ from the previous one. */
export interface LoadRequest {
  method?: 'GET' | 'POST';
  path: string;
  body?: string | (() => string);
  /** Called for each request. */
  paymentSignature?: () => string;
  /** Expected status. */
  status: number;
}

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  /** CPU of the server's process, all threads. */
  cpuMicrosPerRequest: number;
  /** In milliseconds. */
  p50: number;
  p99: number;
  /** Bytes, at the end. */
  rss: number;
  /** 503 responses: a deadline passed because the machine was busy. */
  refused: number;
}

/** Load: number of connections, each sending its next request after a response. */
export interface LoadOptions {
  connections: number;
  amount?: number;
  seconds?: number;
}

/** Maximum share of refusals; beyond it the measurement would be of refusals. */
const mostRefused = 0.1;

/** Sends requests to a server and returns their cost. @throws for an unexpected response or too many refusals */
export async function runClosedLoop(
  server: Measured,
  url: string,
  request: LoadRequest,
  options: LoadOptions,
): Promise<LoadResult> {
  const { path, status } = request;
  const times: number[] = [];
  const wrong = new Map<number | string, number>();
  const count = (what: number | string, times = 1) => wrong.set(what, (wrong.get(what) ?? 0) + times);
  let refused = 0;
  const before = await server.usage();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const { errors, timeouts } = await sendAll(url, request, options, (code, took) => {
    times.push(took);
    // autocannon reports its end only at the next full second.
    endedAt = performance.now();
    if (code === 503 && status !== 503) refused += 1;
    else if (code !== status) count(code);
  });
  const seconds = (endedAt - startedAt) / 1000;
  const after = await server.usage();
  if (errors + timeouts > 0) count('no answer', errors + timeouts);
  if (refused > times.length * mostRefused) count(503, refused);
  if (wrong.size > 0) {
    const counts = [...wrong].map(([what, number]) => `${number} of ${what}`).join(', ');
    throw new Error(`${path}: expected ${times.length} answers with ${status}, got ${counts}.`);
  }
  return {
    requests: times.length,
    requestsPerSecond: times.length / seconds,
    cpuMicrosPerRequest: (after.cpuMicros - before.cpuMicros) / times.length,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    rss: after.rss,
    refused,
  };
}

function sendAll(
  url: string,
  { method = 'POST', path, body, paymentSignature }: LoadRequest,
  { connections, amount, seconds = 3 }: LoadOptions,
  onAnswer: (status: number, tookMs: number) => void,
): Promise<autocannon.Result> {
  const headers = { 'content-type': 'application/json' };
  const request: autocannon.Request = { method, path, headers };
  if (typeof body === 'string') request.body = body;
  if (paymentSignature || typeof body === 'function') {
    request.setupRequest = (next) => {
      if (typeof body === 'function') next.body = body();
      if (paymentSignature) next.headers = { ...headers, 'payment-signature': paymentSignature() };
      return next;
    };
  }
  return new Promise((resolve, reject) => {
    const running = autocannon(
      {
        url,
        connections,
        timeout: 30,
        requests: [request],
        ...(amount !== undefined ? { amount } : { duration: seconds }),
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    running.on('response', (_client, status, _bytes, tookMs) => onAnswer(status, tookMs));
  });
}
