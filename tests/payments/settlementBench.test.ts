import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentAttempt, PaymentService } from '../../server/payments/index.ts';
import { openDatabaseMaker } from '../storage/bothDatabases.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// npm run bench:settlement: payments with a node 50 ms away. Signatures are made beforehand.

const isBench = process.env.BENCH_SETTLEMENT !== undefined;
const nodeMs = 50;

let fixture: PaymentFixture;
let proxy: RpcProxy;
const figures: Record<string, unknown> = {};

beforeAll(async () => {
  if (!isBench) return;
  fixture = await openPaymentFixture();
  proxy = await startRpcProxy(fixture.chain.rpcUrl);
}, 120_000);
afterAll(async () => {
  if (!isBench) return;
  await proxy.close();
  await fixture.close();
  console.info(JSON.stringify(figures, null, 2));
  if (process.env.BENCH_SETTLEMENT) await writeFile(process.env.BENCH_SETTLEMENT, JSON.stringify(figures, null, 2));
});

/** For each payer, its payments in order. */
async function presign(
  paymentService: PaymentService,
  payers: number,
  rounds: number,
  funds = BigInt(rounds) * price,
): Promise<PaymentAttempt[][]> {
  const all: PaymentAttempt[][] = [];
  for (let index = 0; index < payers; index += 1) {
    const payer = await fixture.newPayer(funds);
    const own: PaymentAttempt[] = [];
    for (let round = 0; round < rounds; round += 1)
      own.push(attemptOf(await fixture.sign(paymentService, payer), `${round}`));
    all.push(own);
  }
  return all;
}

const quantile = (sorted: readonly number[], part: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);

/** Each payer pays one after another; the payers pay at once. */
async function run(paymentServices: readonly PaymentService[], attempts: readonly PaymentAttempt[][]) {
  const facilitator = { address: fixture.walletOf('facilitator').address };
  const nonce = await fixture.client.getTransactionCount(facilitator);
  proxy.requests.length = 0;
  const took: number[] = [];
  let failed = 0;
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await Promise.all(
    attempts.map(async (own, index) => {
      const paymentService = paymentServices[index % paymentServices.length] as PaymentService;
      for (const attempt of own) {
        const at = performance.now();
        const decision = await paymentService.decide(attempt);
        if (decision.kind === 'serve') await decision.complete(answerTo('x'));
        else failed += 1;
        took.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const count = took.length;
  const sorted = took.toSorted((left, right) => left - right);
  const transactions = (await fixture.client.getTransactionCount(facilitator)) - nonce;
  const calls = proxy.requests.reduce((sum, request) => sum + request.calls.length, 0);
  return {
    payments: count,
    failed,
    perSecond: Math.round(count / seconds),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    requestsEach: Number((proxy.requests.length / count).toFixed(2)),
    callsEach: Number((calls / count).toFixed(2)),
    paymentsPerTransaction: Number((count / transactions).toFixed(1)),
    cpuMsEach: Number(((user + system) / 1_000 / count).toFixed(2)),
  };
}

const open = (place: { file?: string; url?: string }, rpcUrl: string) =>
  fixture.openPaymentService({
    ...place,
    rpcUrl,
    change: (config) => ({ ...config, timings: { settleDeadlineMs: 120_000, joinDeadlineMs: 120_000 } }),
  });

test.runIf(isBench)('settlement', { timeout: 600_000 }, async () => {
  const embedded = await open({}, proxy.url);
  // The first payments load and compile.
  await run([embedded.paymentService], await presign(embedded.paymentService, 16, 10));
  proxy.delayMs = nodeMs;
  figures.lone = await run([embedded.paymentService], await presign(embedded.paymentService, 1, 30));
  figures.eight = await run([embedded.paymentService], await presign(embedded.paymentService, 8, 20));
  figures.sqlite50 = await run([embedded.paymentService], await presign(embedded.paymentService, 50, 16));
  figures.quiet10 = await run([embedded.paymentService], await presign(embedded.paymentService, 10, 10));
  // Ten wallets with the price of one call each have signed twenty.
  const overdrafts = await presign(embedded.paymentService, 10, 20, price);
  const honest = await presign(embedded.paymentService, 10, 10);
  const attack = Promise.all(overdrafts.flat().map((attempt) => embedded.paymentService.decide(attempt)));
  figures.overdraft10 = await run([embedded.paymentService], honest);
  const paid = (await attack).filter(({ kind }) => kind === 'serve').length;
  figures.overdraftsServed = paid;
  await embedded.close();

  const maker = await openDatabaseMaker('postgres');
  const place = await maker.newPlace();
  proxy.delayMs = 0;
  const replicas = [await open(place, proxy.url), await open(place, proxy.url)];
  const paymentServices = replicas.map(({ paymentService }) => paymentService);
  await run(paymentServices, await presign(paymentServices[0] as PaymentService, 8, 5));
  proxy.delayMs = nodeMs;
  figures.postgres50 = await run(
    paymentServices,
    await presign(paymentServices[0] as PaymentService, 50, Number(process.env.PG_ROUNDS ?? 8)),
  );
  for (const { close } of replicas) await close();
  await maker.close();

  proxy.delayMs = 0;
  const direct = await open({}, fixture.chain.rpcUrl);
  await run([direct.paymentService], await presign(direct.paymentService, 16, 5));
  figures.direct32 = await run([direct.paymentService], await presign(direct.paymentService, 32, 16));
  await direct.close();
});
