import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import type { CashierConfig } from '../../server/payments/index.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// What an earlier request of the same payment has done: sent it, or taken the wallet's free call.

let world: PayWorld;
let proxy: RpcProxy;
beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const withTrial = (config: CashierConfig): CashierConfig => ({
  ...config,
  offers: config.offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' })),
});
/** Nothing happens in the background. */
const idle = { lookAroundMs: 600_000, closeGraceMs: 0 };

/** A payment whose broadcast was lost with the process that journaled it, and a second process with the same ledger. */
async function sentByAnother(change: (config: CashierConfig) => CashierConfig) {
  const first = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, ...idle, settleDeadlineMs: 300 } }),
  });
  const { ledger } = first;
  const second = await world.openCashier({
    change: (config) => change({ ...config, ledger, timings: { ...config.timings, ...idle } }),
  });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(first.cashier, payer);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const key = `eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase();
  proxy.fault = (calls) =>
    calls.some(({ method }) => method.startsWith('eth_sendRawTransaction')) ? { kind: 'drop' } : undefined;
  const attempt = attemptOf(payload);
  expect(await first.cashier.admit(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  await expect.poll(async () => (await ledger.load(key))?.state).toBe('sent');
  await first.cashier.close();
  return {
    attempt,
    payer,
    second: second.cashier,
    async close() {
      await second.close();
      await first.close();
    },
  };
}

test('a payment that was sent is settled, although its time would be too short for a new one', async () => {
  let late = 0;
  const { attempt, payer, second, close } = await sentByAnother((config) => ({
    ...config,
    now: () => Date.now() + late,
  }));
  late = 175_000;
  expect((await second.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('a payment that was sent is a paid call, although the wallet has its free call', async () => {
  const { attempt, payer, second, close } = await sentByAnother(withTrial);
  const admission = await second.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  expect(admission.free).toBeUndefined();
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('a free call that another request of the same payment took is served as free', async () => {
  const { cashier, ledger, close } = await world.openCashier({ change: withTrial });
  const beside = await world.openCashier({ change: (config) => withTrial({ ...config, ledger }) });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'serve', free: true });
  expect(await beside.cashier.admit(attempt)).toMatchObject({ kind: 'serve', free: true });
  expect(await world.usdcOf(payer.address)).toBe(price);
  await beside.close();
  await close();
});

test('a free call whose clients have all left returns to its wallet at once', async () => {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const claimed = vi.fn();
  const { cashier, close } = await world.openCashier({
    change: (config) =>
      withTrial({
        ...config,
        timings: { ...config.timings, ...idle, settleDeadlineMs: 100 },
        ledger: {
          ...config.ledger,
          async claimTrial(claim) {
            if (claimed.mock.calls.length === 0) await held;
            return config.ledger.claimTrial(claim);
          },
          async failed(key, reason) {
            await config.ledger.failed(key, reason);
            claimed('given back');
          },
          async release(key) {
            await config.ledger.release(key);
            claimed('released');
          },
        },
      }),
  });
  const payer = await world.newPayer(price);
  const left = attemptOf(await world.sign(cashier, payer));
  expect(await cashier.admit(left)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  letGo();
  await expect.poll(() => claimed.mock.calls.length).toBe(1);
  // Sent again while the short deadline of this test passes first.
  const attempt = attemptOf(await world.sign(cashier, payer), '{"size":"2"}');
  const next = await vi.waitUntil(
    async () => {
      const admission = await cashier.admit(attempt);
      return admission.kind === 'serve' && admission;
    },
    { timeout: 60_000 },
  );
  expect(next.free).toBe(true);
  await next.complete(answerTo('free'));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test('an invalid payment is refused before the chain is read for its answer', async () => {
  const { cashier, close } = await world.openCashier();
  const beforeCharge = vi.fn(async () => undefined);
  const poor = await world.newPayer(0n);
  const payload = await world.signTwisted(cashier, poor, { value: price - 1n });
  expect(await cashier.admit({ ...attemptOf(payload), beforeCharge })).toMatchObject({ kind: 'refuse', status: 402 });
  expect(beforeCharge).not.toHaveBeenCalled();
  await close();
});
