/**
 * npm run bench:http [-- --seconds 3 --payments 1500 --out bench/http.json]
 *
 * Measures the throughput of the service on one core, and of Node's http without middleware in the same run. The
 * service runs in live mode on SQLite in its own process, pinned to one core. This process sends the requests. The node
 * is a third process that replays recorded responses, so that the chain's work is not measured. Every payment is new,
 * signed beforehand, and settled by the service's own key: simulated, signed, journaled, sent, and confirmed by a
 * receipt.
 *
 * --only measures the rows whose name contains the text. --profile writes a CPU profile of the service to a folder.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadRequest, type LoadResult, runClosedLoop } from '../load/closedLoop.ts';
import { type FixedAnswer, openLoadEnvironment, serverCore } from '../load/openLoadEnvironment.ts';
import { presign } from '../load/presign.ts';
import type { Measured } from '../load/startMeasured.ts';
import { round } from './statistics.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    payments: { type: 'string', default: '1500' },
    out: { type: 'string', default: 'bench/http.json' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const payments = Number(values.payments);
const mebibyte = 2 ** 20;

const environment = await openLoadEnvironment();
const { recording } = environment;
const bare = await environment.startBare();
const start = (freshnessMs: number) =>
  environment.startService({
    freshnessMs,
    core: serverCore,
    nodeArguments: values.profile ? ['--cpu-prof', `--cpu-prof-dir=${values.profile}`] : [],
  });
/** Its answers stay cached for the whole run. */
const service = await start(600_000);

const quoteInput = { tokenIn: recording.tokenIn, tokenOut: recording.tokenOut, sizeIn: '1.5' };

/** The service's own 402 response, without the Date and connection headers that Node adds to every response. */
async function challengeOf(url: string): Promise<FixedAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(quoteInput),
  });
  const headers = [...response.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
  return { status: response.status, headers: headers.flat(), body: await response.text() };
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

/** The first payment option of a 402. */
async function acceptedBy(url: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/quote`, { method: 'POST', headers, body });
  const required = response.headers.get('payment-required') ?? '';
  return JSON.parse(Buffer.from(required, 'base64').toString('utf8')).accepts[0];
}

let size = 0;
/** A new size for each request, close to the recorded one, so that the recorded response is valid for it. */
const newSize = (near: number) => String(near + ++size / 1e6);
/** Signs payments right before use, as they expire after 3 minutes. @returns a function that returns the next one */
async function signPayments(url: string, count: number): Promise<() => string> {
  const headers = await presign(url, count);
  return () => headers.pop() ?? '';
}
/** `signPayments` for `count` requests and the default warm-up. */
const signWithWarmUp = (url: string, count: number) => signPayments(url, count + sequentialRequests + defaultWarmUp);
/** Concurrent clients for throughput. Queueing dominates their latency. */
const throughputConnections = 32;
/** Concurrent payers for latency, with less queueing. */
const latencyConnections = [4, 8];

interface MeasureOptions {
  /** Number of requests. Default: as many as fit into --seconds. */
  amount?: number;
  target?: Measured;
  connections?: number;
  /** Warm-up requests. */
  warmUp?: number;
}

/** Sent before the warm-up, so that per-token reads are cached before concurrent requests. */
const sequentialRequests = 2;
const defaultWarmUp = 300;
/** The payment path needs a longer warm-up: before V8 has optimised it, a call uses twice the CPU. */
const paidWarmUp = 4_000;

try {
  const idle = await service.usage();
  const quoteUrl = `${service.ready}/v1/quote`;
  const [paidBefore = ''] = await presign(quoteUrl, 1);

  const rows: (LoadResult & { what: string; ratio: number; cpuRatio: number })[] = [];
  let baseline: LoadResult | undefined;
  async function measure(what: string, request: LoadRequest, options: MeasureOptions = {}): Promise<void> {
    const { amount, target = service, connections = throughputConnections, warmUp = defaultWarmUp } = options;
    if (values.only && !what.includes(values.only) && !what.startsWith('bare')) return;
    const load = { connections, ...(amount === undefined ? { seconds } : { amount }) };
    await runClosedLoop(target, target.ready, request, { connections: 1, amount: sequentialRequests });
    await runClosedLoop(target, target.ready, request, { connections: throughputConnections, amount: warmUp });
    const result = await runClosedLoop(target, target.ready, request, load);
    baseline ??= result;
    const row = {
      what,
      ...result,
      ratio: result.requestsPerSecond / baseline.requestsPerSecond,
      cpuRatio: baseline.cpuMicrosPerRequest / result.cpuMicrosPerRequest,
    };
    rows.push(row);
    console.log(
      `${what}: ${Math.round(row.requestsPerSecond)}/s ratio ${round(row.ratio)}, CPU ${Math.round(row.cpuMicrosPerRequest)} us (ratio ${round(row.cpuRatio)}), p50 ${round(row.p50)} p99 ${round(row.p99)} ms, ${row.refused} refused, RSS ${round(row.rss / mebibyte, 1)} MiB`,
    );
  }

  console.log(
    `start ${Math.round(service.startMs)} ms, idle RSS ${round(idle.rss / mebibyte, 1)} MiB, load ${loadavg().map((average) => round(average))}`,
  );
  const quote = JSON.stringify(quoteInput);
  await measure('bare', { path: '/', body: quote, status: 200 }, { target: bare });
  const bareChallenge = await environment.startBare(await challengeOf(quoteUrl));
  await measure('bare, with the bytes of a 402', { path: '/', body: quote, status: 402 }, { target: bareChallenge });
  await bareChallenge.stop();
  await measure('402', { path: '/v1/quote', body: quote, status: 402 });
  for (const kind of ['stock', 'prototype', 'ours'] as const) {
    const target = await environment.startPipeline(kind);
    const accepted = await acceptedBy(target.ready, quote);
    const paymentSignature = () => encode({ x402Version: 2, accepted, payload: { nonce: String(++size) } });
    await measure(`pipeline alone, ${kind}: 402`, { path: '/v1/quote', body: quote, status: 402 }, { target });
    await measure(
      `pipeline alone, ${kind}: paid`,
      { path: '/v1/quote', body: quote, paymentSignature, status: 200 },
      { target, warmUp: paidWarmUp },
    );
    await target.stop();
  }
  await measure('400', { path: '/v1/quote', body: '{"tokenIn":"0x12"}', status: 400 });
  await measure('health', { method: 'GET', path: '/health', status: 200 });
  await measure('openapi', { method: 'GET', path: '/openapi.json', status: 200 });
  const paid = await signPayments(quoteUrl, payments + sequentialRequests + paidWarmUp);
  await measure(
    'paid cached',
    { path: '/v1/quote', body: quote, paymentSignature: paid, status: 200 },
    { amount: payments, warmUp: paidWarmUp },
  );
  for (const connections of latencyConnections) {
    await measure(
      `paid cached, ${connections} at once`,
      { path: '/v1/quote', body: quote, paymentSignature: await signWithWarmUp(quoteUrl, payments), status: 200 },
      { amount: payments, connections },
    );
  }
  await measure('replay', { path: '/v1/quote', body: quote, paymentSignature: () => paidBefore, status: 200 });
  await service.stop();
  // Answers expire as they do by default on Base.
  const uncached = await start(4_000);
  await measure(
    'paid uncached',
    {
      path: '/v1/quote',
      body: () => JSON.stringify({ ...quoteInput, sizeIn: newSize(1.5) }),
      paymentSignature: await signPayments(`${uncached.ready}/v1/quote`, payments + sequentialRequests + paidWarmUp),
      status: 200,
    },
    { amount: payments, target: uncached, warmUp: paidWarmUp },
  );

  const setting = {
    at: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} x ${cpus()[0]?.model}`,
    loadAverage: loadavg().map((load) => round(load)),
    startMs: Math.round(service.startMs),
    idleRss: idle.rss,
    settledBy: 'own key, EIP-3009, a node that answers at once',
  };
  await mkdir(dirname(values.out), { recursive: true });
  await writeFile(values.out, `${JSON.stringify({ ...setting, rows }, null, 2)}\n`);
} finally {
  await environment.close();
}
