import { decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/rpcProxy.ts';
import type { Admission, Cashier, CashierConfig } from '../../server/payments/index.ts';
import { answerTo, attemptOf, type OpenOptions, openPayWorld, type PayWorld, price } from './payWorld.ts';

// The judge is the real USDC: a free call moves nothing, the next one exactly the price.

let world: PayWorld;
beforeAll(async () => {
  world = await openPayWorld();
});
afterAll(() => world?.close());

const withTrial = (config: CashierConfig): CashierConfig => ({
  ...config,
  offers: config.offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' })),
});
const open = (options: OpenOptions = {}) => world.openCashier({ change: withTrial, ...options });

type Serve = Extract<Admission, { kind: 'serve' }>;
async function served(admission: Promise<Admission>): Promise<Serve> {
  const got = await admission;
  if (got.kind !== 'serve') throw new Error(`Not served: ${JSON.stringify(got)}`);
  return got;
}

/** Admits and answers; says whether it was free. */
async function buy(cashier: Cashier, payload: Parameters<typeof attemptOf>[0], input?: string): Promise<boolean> {
  const admission = await served(cashier.admit(attemptOf(payload, input)));
  await admission.complete(answerTo(input ?? ''));
  return admission.free === true;
}

test('default: the first call of a wallet moves nothing, the second one the price', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(3n * price);

  const first = await served(cashier.admit(attemptOf(await world.sign(cashier, payer))));
  expect(first.free).toBe(true);
  expect(decodePaymentResponseHeader(first.paymentResponse)).toMatchObject({
    success: true,
    transaction: '',
    network: 'eip155:8453',
    payer: payer.address,
    amount: '0',
    extra: { freeTrial: true },
  });
  await first.complete(answerTo('first'));
  expect(await world.usdcOf(payer.address)).toBe(3n * price);

  expect(await buy(cashier, await world.sign(cashier, payer))).toBe(false);
  expect(await buy(cashier, await world.sign(cashier, payer), '{"size":"2"}')).toBe(false);
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: an offer without a group has no free call', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  expect(await buy(cashier, await world.sign(cashier, payer))).toBe(false);
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: the free call survives a restart as used, and its answer is replayed to the byte', async () => {
  const file = world.newLedgerFile();
  const payer = await world.newPayer(2n * price);
  const before = await open({ file });
  const payload = await world.sign(before.cashier, payer);
  expect(await buy(before.cashier, payload)).toBe(true);
  await before.close();

  const after = await open({ file });
  expect(await after.cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'replay', answer: answerTo('') });
  expect(await after.cashier.admit(attemptOf(payload, '{"size":"9"}'))).toMatchObject({ kind: 'refuse', status: 409 });
  expect(await buy(after.cashier, await world.sign(after.cashier, payer))).toBe(false);
  expect(await world.usdcOf(payer.address)).toBe(price);
  await after.close();
});

test('behavior: ten first calls of a new wallet at once: one is free, nine are charged', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(20n * price);
  const payloads = await Promise.all(Array.from({ length: 10 }, () => world.sign(cashier, payer)));
  const free = await Promise.all(payloads.map((payload, n) => buy(cashier, payload, `{"size":"${n + 1}"}`)));
  expect(free.filter(Boolean)).toHaveLength(1);
  expect(await world.usdcOf(payer.address)).toBe(11n * price);
  await close();
});

test('behavior: ten identical first calls at once are one free call with ten answers', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  let runs = 0;
  const answers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const admission = await cashier.admit(attemptOf(payload));
      if (admission.kind === 'replay') return admission.answer;
      if (admission.kind === 'refuse') throw new Error(admission.detail);
      runs += 1;
      await admission.complete(answerTo('once'));
      return answerTo('once');
    }),
  );
  expect(runs).toBe(1);
  expect(answers).toEqual(Array.from({ length: 10 }, () => answerTo('once')));
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: a free call whose answer failed is given back: to the same request, or to a new one', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  await (await served(cashier.admit(attemptOf(payload)))).fail('RPC down');
  await (await served(cashier.admit(attemptOf(payload)))).fail('still down');
  expect(await buy(cashier, payload)).toBe(true);

  const other = await world.newPayer(price);
  await (await served(cashier.admit(attemptOf(await world.sign(cashier, other))))).fail('RPC down');
  expect(await buy(cashier, await world.sign(cashier, other))).toBe(true);
  expect(await world.usdcOf(payer.address)).toBe(price);
  expect(await world.usdcOf(other.address)).toBe(price);
  await close();
});

test('behavior: whoever joins a free call that fails hears that nothing was charged', async () => {
  const { cashier, close } = await open();
  const payload = await world.sign(cashier, await world.newPayer(price));
  const first = await served(cashier.admit(attemptOf(payload)));
  const joined = cashier.admit(attemptOf(payload));
  await first.fail('RPC down');
  expect(await joined).toMatchObject({
    kind: 'refuse',
    status: 503,
    detail: expect.stringMatching(/Nothing was charged.*same PAYMENT-SIGNATURE/),
  });
  await close();
});

test('behavior: a process that ended before the answer leaves the free call to its wallet', async () => {
  const file = world.newLedgerFile();
  const [retrying, anew] = [await world.newPayer(price), await world.newPayer(price)];
  const before = await open({ file });
  const payload = await world.sign(before.cashier, retrying);
  await served(before.cashier.admit(attemptOf(payload)));
  await served(before.cashier.admit(attemptOf(await world.sign(before.cashier, anew))));
  await before.close();

  const after = await open({ file });
  expect(await buy(after.cashier, payload)).toBe(true);
  expect(await buy(after.cashier, await world.sign(after.cashier, anew))).toBe(true);
  expect(await world.usdcOf(retrying.address)).toBe(price);
  expect(await world.usdcOf(anew.address)).toBe(price);
  await after.close();
});

test.each([
  ['a wallet without the price', 'invalid_exact_evm_insufficient_balance', async () => world.newPayer(price - 1n), {}],
  [
    'a payment over less than the price',
    'invalid_exact_evm_payload_authorization_value_mismatch',
    async () => world.newPayer(price),
    { value: 1n },
  ],
  [
    'a payment that has ended',
    'invalid_exact_evm_payload_authorization_valid_before',
    async () => world.newPayer(price),
    { validBefore: 1n },
  ],
])('error: 402 for %s, as if it were charged, and the free call stays', async (_what, reason, newPayer, twist) => {
  const { cashier, close } = await open();
  const payer = await newPayer();
  const refused = await cashier.admit(attemptOf(await world.signTwisted(cashier, payer, twist)));
  expect(refused).toMatchObject({ kind: 'refuse', status: 402 });
  if (refused.kind !== 'refuse') return;
  const shown = Buffer.from(refused.headers['PAYMENT-REQUIRED'] ?? '', 'base64').toString();
  expect(shown).toContain(reason);
  await world.give(payer.address, price);
  expect(await buy(cashier, await world.sign(cashier, payer))).toBe(true);
  await close();
});

test('error: 402 for a signature by another account and a cancelled authorization', async () => {
  const { cashier, close } = await open();
  const payer = await world.newPayer(3n * price);
  const stranger = await world.sign(cashier, await world.newPayer(0n));
  const own = await world.sign(cashier, payer);
  const forged = { ...own, payload: { ...own.payload, signature: stranger.payload.signature } };
  expect(await cashier.admit(attemptOf(forged))).toMatchObject({ kind: 'refuse', status: 402 });

  const cancelled = await world.sign(cashier, payer);
  await world.cancel(payer, cancelled);
  expect(await cashier.admit(attemptOf(cancelled))).toMatchObject({ kind: 'refuse', status: 402 });

  expect(await buy(cashier, own)).toBe(true);
  await close();
});

test('behavior: while the chain cannot be asked nobody gets or loses a free call', async () => {
  const proxy = await startRpcProxy(world.chain.rpcUrl);
  const { cashier, close } = await open({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  proxy.fault = () => ({ kind: 'drop' });
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({
    kind: 'refuse',
    status: 503,
    code: 'UPSTREAM_UNAVAILABLE',
  });
  proxy.fault = () => undefined;
  expect(await buy(cashier, payload)).toBe(true);
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
  await proxy.close();
});

test('FREE_TRIALS_PER_IP: beyond the limit of an address 429 without charge, and the wallet keeps its free call', async () => {
  const { cashier, close } = await open({ change: (config) => ({ ...withTrial(config), freeTrialsPerIp: 2 }) });
  const from = async (client: string) => {
    const payer = await world.newPayer(price);
    return { payer, attempt: { ...attemptOf(await world.sign(cashier, payer)), client } };
  };
  const calls = [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.2')];
  const admissions = await Promise.all(calls.map(({ attempt }) => cashier.admit(attempt)));
  const limited = admissions.findIndex(({ kind }) => kind === 'refuse');
  expect(limited).toBeLessThan(3);
  expect(admissions.filter(({ kind }) => kind === 'serve')).toHaveLength(3);
  expect(admissions[limited]).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  const { payer } = calls[limited] as (typeof calls)[number];
  expect(await world.usdcOf(payer.address)).toBe(price);
  // From another address the wallet's free call is still there.
  const elsewhere = { ...attemptOf(await world.sign(cashier, payer)), client: '192.0.2.2' };
  expect(await served(cashier.admit(elsewhere))).toMatchObject({ free: true });
  await close();
});
