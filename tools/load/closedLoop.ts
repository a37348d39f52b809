import autocannon from 'autocannon';
import { percentile } from '../bench/statistics.ts';
import type { Measured } from './startMeasured.ts';

/** A template of requests. A function as `body` or `paymentSignature` is called for each request. */
export interface LoadRequest {
  method?: 'GET' | 'POST';
  path: string;
  body?: string | (() => string);
  paymentSignature?: () => string;
  /** Expected status. */
  status: number;
}

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  /** CPU of the server's process, all threads. */
  cpuMicrosPerRequest: number;
  /** Latency in milliseconds. */
  p50: number;
  p99: number;
  /** Resident memory of the server's process in bytes, at the end. */
  rss: number;
  /** Number of 503 responses: a deadline passed because the machine was busy. */
  refused: number;
}

export interface LoadOptions {
  /** Each connection sends its next request after a response. */
  connections: number;
  /** Number of requests. Replaces `seconds`. */
  amount?: number;
  /** Duration; 3 by default. */
  seconds?: number;
}

/** Maximum share of 503 responses: with more, the run would measure refusals. */
const maxRefusedShare = 0.1;

/** Sends requests to a server and measures them. @throws {Error} an unexpected response, or too many refusals */
export async function runClosedLoop(
  server: Measured,
  url: string,
  request: LoadRequest,
  options: LoadOptions,
): Promise<LoadResult> {
  const { path, status } = request;
  const latencies: number[] = [];
  const unexpected = new Map<number | string, number>();
  const count = (what: number | string, by = 1) => unexpected.set(what, (unexpected.get(what) ?? 0) + by);
  let refused = 0;
  const before = await server.usage();
  const startedAt = performance.now();
  let endedAt = startedAt;
  const { errors, timeouts } = await sendAll(url, request, options, (code, took) => {
    latencies.push(took);
    // autocannon reports the end of the run only at the next full second.
    endedAt = performance.now();
    if (code === 503 && status !== 503) refused += 1;
    else if (code !== status) count(code);
  });
  const seconds = (endedAt - startedAt) / 1000;
  const after = await server.usage();
  if (errors + timeouts > 0) count('no response', errors + timeouts);
  if (refused > latencies.length * maxRefusedShare) count(503, refused);
  if (unexpected.size > 0) {
    const counts = [...unexpected].map(([what, number]) => `${number} × ${what}`).join(', ');
    throw new Error(`${path}: expected ${latencies.length} responses with ${status}, got ${counts}.`);
  }
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / seconds,
    cpuMicrosPerRequest: (after.cpuMicros - before.cpuMicros) / latencies.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
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
