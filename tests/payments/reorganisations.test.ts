import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';
import { mined, passTime } from './waitForChain.ts';

// Reorganisations that drop the block of a served payment.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterAll(() => fixture?.close());

/** Opens a payment service. `lost` collects the keys of payments that it records as lost. */
async function open(file: string, rpcUrl?: string) {
  const lost: string[] = [];
  const opened = await fixture.openPaymentService({
    file,
    ...(rpcUrl !== undefined && { rpcUrl }),
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        lost: (key) => {
          lost.push(key);
          return config.ledger.lost(key);
        },
      },
      timings: { ...config.timings, recheckMs: 50 },
    }),
  });
  return { ...opened, lost };
}

async function serve(paymentService: PaymentService, attempts: readonly ReturnType<typeof attemptOf>[]): Promise<void> {
  for (const decision of await Promise.all(attempts.map((attempt) => paymentService.decide(attempt)))) {
    if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
    await decision.complete(answerTo('served'));
  }
}

/** Replaces the latest block by an empty one. */
async function dropBlock(): Promise<void> {
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
}

test('behavior: after a restart, only the member of a dropped group that cannot pay again is recorded as lost', async () => {
  const file = fixture.newLedgerFile();
  const first = await open(file);
  const payers = [await fixture.newPayer(price), await fixture.newPayer(price), await fixture.newPayer(price)];
  const signed = await Promise.all(payers.map((payer) => fixture.sign(first.paymentService, payer)));
  const drained = payers[1] as (typeof payers)[number];
  const otherPayment = await fixture.sign(first.paymentService, drained);
  await fixture.rpc('anvil_mine', ['0x2']);
  await serve(
    first.paymentService,
    signed.map((payload, index) => attemptOf(payload, `{"size":"${index}"}`)),
  );
  await first.close();
  await dropBlock();
  await fixture.settleByThirdParty(otherPayment);

  const second = await open(file);
  const endMining = passTime(fixture);
  await expect.poll(() => second.lost.length, { timeout: 20_000 }).toBe(1);
  expect(second.lost[0]).toContain(drained.address.toLowerCase());
  for (const payer of payers) expect(await fixture.usdcOf(payer.address)).toBe(0n);
  endMining();
  await second.close();
});

test('behavior: a payment that a third party settles after the reorganisation is not recorded as lost', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  const { paymentService, lost, close } = await open(fixture.newLedgerFile(), proxy.url);
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('anvil_mine', ['0x2']);
  await serve(paymentService, [attemptOf(payload)]);
  await dropBlock();
  const thirdParty = await fixture.sendByThirdParty(payload);
  await mined(fixture.client, thirdParty);
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  // Its receipt is read for the payment's status and at the two ages of a recheck. Then it is no longer watched.
  const receiptReads = () =>
    proxy.requests.flatMap(({ calls }) =>
      calls.filter(({ method, params }) => method === 'eth_getTransactionReceipt' && params[0] === thirdParty),
    );
  const endMining = passTime(fixture);
  await expect.poll(() => receiptReads().length, { timeout: 20_000 }).toBe(3);
  endMining();
  expect(lost).toEqual([]);
  await close();
  await proxy.close();
});

// Must stay the last test: after the dropped transaction the funding wallet's nonce manager is wrong.
test('behavior: after a restart, a payment is recorded as lost when the third-party transaction that settled it was dropped', async () => {
  const file = fixture.newLedgerFile();
  const first = await open(file);
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(first.paymentService, payer);
  await fixture.rpc('anvil_mine', ['0x2']);
  await fixture.settleByThirdParty(payload);
  await serve(first.paymentService, [attemptOf(payload)]);
  await first.close();
  await dropBlock();
  expect(await fixture.usdcOf(payer.address)).toBe(price);

  const second = await open(file);
  const endMining = passTime(fixture);
  await expect
    .poll(() => second.lost, { timeout: 20_000 })
    .toEqual([expect.stringContaining(payer.address.toLowerCase())]);
  endMining();
  await second.close();
});
