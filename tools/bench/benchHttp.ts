/**
 * npm run bench:http [-- --seconds 3 --payments 1500 --out bench/http.json]
 *
 * Throughput of one core of the service, compared with Node's bare http in the same run. The service runs in live mode
 * on SQLite in its own process, pinned to one core. Requests come from this process; the node is a third process that
 * replays recorded responses, so that a chain's own work does not count. Every payment is new, signed beforehand, and
 * settled by the service's own key: simulated, signed, journaled, sent, and confirmed by a receipt.
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
/** Cache time that covers the whole run. */
const service = await start(600_000);

const question = { tokenIn: recording.tokenIn, tokenOut: recording.tokenOut, sizeIn: '1.5' };
const check = { token: recording.tokenIn };

/** The service's own 402 without Date and connection headers, which Node adds to every response. */
async function challengeOf(url: string): Promise<FixedAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
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
/** A size that was not requested before, close to the recorded one, so that the recorded response fits. */
const newSize = (near: number) => String(near + ++size / 1e6);
/** Payments for each kind of call, signed right before use: they expire after three minutes. */
async function dealer(url: string, count: number): Promise<() => string> {
  const headers = await presign(url, count);
  return () => headers.pop() ?? '';
}
/** Includes the default warm-up. */
const deal = (url: string, count: number) => dealer(url, count + alone + usualWarmUp);
/** Concurrent clients for throughput; queueing dominates latency here. */
const crowd = 32;
/** Concurrent payers for latency, with less queueing. */
const fewPayers = [4, 8];

interface MeasureOptions {
  /** Number of requests; by default as many as fit into the duration. */
  amount?: number;
  target?: Measured;
  connections?: number;
  /** Warm-up requests. */
  warmUp?: number;
}

/** Sequential requests first, so that per-token reads are cached before concurrent ones. */
const alone = 2;
const usualWarmUp = 300;
/** The payment path needs a long warm-up: before V8 has optimised it, calls cost twice as much. */
const payingWarmUp = 4_000;

try {
  const idle = await service.usage();
  const quoteUrl = `${service.ready}/v1/quote`;
  const [known = ''] = await presign(quoteUrl, 1);

  const rows: (LoadResult & { what: string; ratio: number; cpuRatio: number })[] = [];
  let floor: LoadResult | undefined;
  async function measure(what: string, request: LoadRequest, options: MeasureOptions = {}): Promise<void> {
    const { amount, target = service, connections = crowd, warmUp = usualWarmUp } = options;
    if (values.only && !what.includes(values.only) && !what.startsWith('bare')) return;
    const how = { connections, ...(amount === undefined ? { seconds } : { amount }) };
    await runClosedLoop(target, target.ready, request, { connections: 1, amount: alone });
    await runClosedLoop(target, target.ready, request, { connections: crowd, amount: warmUp });
    const result = await runClosedLoop(target, target.ready, request, how);
    floor ??= result;
    const row = {
      what,
      ...result,
      ratio: result.requestsPerSecond / floor.requestsPerSecond,
      cpuRatio: floor.cpuMicrosPerRequest / result.cpuMicrosPerRequest,
    };
    rows.push(row);
    console.log(
      `${what}: ${Math.round(row.requestsPerSecond)}/s ratio ${round(row.ratio)}, CPU ${Math.round(row.cpuMicrosPerRequest)} us (ratio ${round(row.cpuRatio)}), p50 ${round(row.p50)} p99 ${round(row.p99)} ms, ${row.refused} refused, RSS ${round(row.rss / mebibyte, 1)} MiB`,
    );
  }

  console.log(
    `start ${Math.round(service.startMs)} ms, idle RSS ${round(idle.rss / mebibyte, 1)} MiB, load ${loadavg().map((l) => round(l))}`,
  );
  const quote = JSON.stringify(question);
  await measure('bare', { path: '/', body: quote, status: 200 }, { target: bare });
  const bytes = await environment.startBare(await challengeOf(quoteUrl));
  await measure('bare, with the bytes of a 402', { path: '/', body: quote, status: 402 }, { target: bytes });
  await bytes.stop();
  await measure('402', { path: '/v1/quote', body: quote, status: 402 });
  for (const kind of ['stock', 'prototype', 'ours'] as const) {
    const target = await environment.startPipeline(kind);
    const accepted = await acceptedBy(target.ready, quote);
    const paymentSignature = () => encode({ x402Version: 2, accepted, payload: { nonce: String(++size) } });
    await measure(`pipeline alone, ${kind}: 402`, { path: '/v1/quote', body: quote, status: 402 }, { target });
    await measure(
      `pipeline alone, ${kind}: paid`,
      { path: '/v1/quote', body: quote, paymentSignature, status: 200 },
      { target, warmUp: payingWarmUp },
    );
    await target.stop();
  }
  await measure('400', { path: '/v1/quote', body: '{"tokenIn":"0x12"}', status: 400 });
  await measure('health', { method: 'GET', path: '/health', status: 200 });
  await measure('openapi', { method: 'GET', path: '/openapi.json', status: 200 });
  const paid = await dealer(quoteUrl, payments + alone + payingWarmUp);
  await measure(
    'paid cached',
    { path: '/v1/quote', body: quote, paymentSignature: paid, status: 200 },
    { amount: payments, warmUp: payingWarmUp },
  );
  for (const connections of fewPayers) {
    await measure(
      `paid cached, ${connections} at once`,
      { path: '/v1/quote', body: quote, paymentSignature: await deal(quoteUrl, payments), status: 200 },
      { amount: payments, connections },
    );
  }
  await measure('replay', { path: '/v1/quote', body: quote, paymentSignature: () => known, status: 200 });
  await service.stop();
  // Answers expire as fast as by default on Base.
  const forgetful = await start(4_000);
  const askedAnew = `${forgetful.ready}/v1/quote`;
  await measure(
    'paid uncached',
    {
      path: '/v1/quote',
      body: () => JSON.stringify({ ...question, sizeIn: newSize(1.5) }),
      paymentSignature: await dealer(askedAnew, payments + alone + payingWarmUp),
      status: 200,
    },
    { amount: payments, target: forgetful, warmUp: payingWarmUp },
  );
  const checks = Math.min(payments, 300);
  await measure(
    'check',
    {
      path: '/v1/pretrade/check',
      body: () => JSON.stringify({ ...check, sizeUSD: newSize(1_500) }),
      paymentSignature: await deal(`${forgetful.ready}/v1/pretrade/check`, checks),
      status: 200,
    },
    { amount: checks, target: forgetful },
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
