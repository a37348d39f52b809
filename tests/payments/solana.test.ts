import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { type Admission, PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld, solanaNetwork } from './solanaWorld.ts';

let world: SolanaWorld;
let proxy: RpcProxy;

beforeAll(async () => {
  world = await openSolanaWorld();
  proxy = await startRpcProxy(world.solana.rpcUrl);
});
afterEach(() => {
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const payTo = () => world.walletOf('payTo').address;
const signatureOf = (admission: Admission): string =>
  admission.kind === 'serve' ? decodePaymentResponseHeader(admission.paymentResponse).transaction : '';

test('default: a payment settles in real SPL tokens, is answered, and replayed without a second charge', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const [paid, fees] = [await world.usdcOf(payTo()), await world.lamportsOf(world.walletOf('facilitator').address)];
  const attempt = attemptOf(await world.sign(cashier, payer));

  const admission = await cashier.admit(attempt);
  if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
  await admission.complete(answerTo('solana'));

  expect(decodePaymentResponseHeader(admission.paymentResponse)).toMatchObject({
    success: true,
    network: solanaNetwork,
    payer: payer.address,
  });
  expect(await world.statusOf(signatureOf(admission))).toMatchObject({ err: null });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect(await world.usdcOf(payTo())).toBe(paid + price);
  expect(fees - (await world.lamportsOf(world.walletOf('facilitator').address))).toBeLessThanOrEqual(20_000n);
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('solana') });
  expect(await cashier.admit({ ...attempt, question: '{}' })).toMatchObject({ status: 409 });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: of 30 simultaneous payments of a wallet that can afford one, one pays and at most two fail on chain', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const facilitator = world.walletOf('facilitator').address;
  const [before, fees] = [await world.usdcOf(payTo()), await world.lamportsOf(facilitator)];
  const payloads = await Promise.all(Array.from({ length: 30 }, () => world.sign(cashier, payer)));
  const admissions = await Promise.all(payloads.map((payload, index) => cashier.admit(attemptOf(payload, `${index}`))));
  expect(admissions.filter(({ kind }) => kind === 'serve')).toHaveLength(1);
  expect(await world.usdcOf(payTo())).toBe(before + price);
  // Each transaction that lands costs at most 20,000 lamports.
  expect(fees - (await world.lamportsOf(facilitator))).toBeLessThanOrEqual(60_000n);
  await close();
});

test('security: sending a failed transaction again does not pause its wallet anew', async () => {
  const { cashier, endPauses, close } = await world.openCashier({ rpcUrl: proxy.url });
  const other = await world.openCashier();
  const payer = await world.newPayer(price);
  const [failing, draining] = [await world.sign(cashier, payer), await world.sign(cashier, payer)];
  let isDrained = false;
  let wasSent = false;
  // Held back until another payment has taken what the wallet holds.
  proxy.fault = (calls) => {
    if (isDrained || !calls.some(({ method }) => method === 'sendTransaction')) return undefined;
    wasSent = true;
    return { kind: 'drop' };
  };
  const admitting = cashier.admit(attemptOf(failing));
  while (!wasSent) await sleep(20);
  expect((await other.cashier.admit(attemptOf(draining))).kind).toBe('serve');
  isDrained = true;
  expect(await admitting).toMatchObject({ status: 402, detail: expect.stringContaining('paused for 60 s') });
  await endPauses();
  expect(await cashier.admit(attemptOf(failing))).toMatchObject({
    status: 402,
    detail: expect.not.stringContaining('paused'),
  });
  await other.close();
  await close();
});

test('behavior: the offer names our fee payer and no RPC or key', async () => {
  const { cashier, close } = await world.openCashier();
  const { accepts } = decodePaymentRequiredHeader(cashier.challenge('quote').header);
  expect(accepts).toEqual([
    {
      scheme: 'exact',
      network: solanaNetwork,
      amount: '20000',
      asset: world.solana.usdc,
      payTo: payTo(),
      maxTimeoutSeconds: 180,
      extra: { feePayer: world.walletOf('facilitator').address, paymentFlow: 'upfront' },
    },
  ]);
  await close();
});

test('behavior: 25 wallets at once, eight of them poor: who can pay is charged once, who cannot is refused', async () => {
  const { cashier, close } = await world.openCashier();
  const payers = await Promise.all(Array.from({ length: 25 }, (_, i) => world.newPayer(i % 3 === 0 ? 0n : price)));
  const before = await world.usdcOf(payTo());
  const payloads = await Promise.all(payers.map((payer) => world.sign(cashier, payer)));
  const admissions = await Promise.all(payloads.map((payload) => cashier.admit(attemptOf(payload))));
  const kinds = admissions.map((admission) => (admission.kind === 'refuse' ? admission.status : admission.kind));
  expect(kinds).toEqual(payers.map((_, i) => (i % 3 === 0 ? 402 : 'serve')));
  expect(await world.usdcOf(payTo())).toBe(before + 16n * price);
  await close();
});

test('behavior: ten identical requests at once are one charge and ten answers', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(5n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const kinds = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const admission = await cashier.admit(attempt);
      if (admission.kind === 'serve') await admission.complete(answerTo('one'));
      return admission.kind;
    }),
  );
  expect(kinds.toSorted()).toEqual([...Array(9).fill('replay'), 'serve']);
  expect(await world.usdcOf(payer.address)).toBe(4n * price);
  await close();
});

test('error: PAYMENT_REQUIRED for a wallet without a token account, and for one that is too poor', async () => {
  const { cashier, close } = await world.openCashier();
  for (const units of [undefined, price - 1n]) {
    const payload = await world.sign(cashier, await world.newPayer(units));
    const admission = await cashier.admit(attemptOf(payload));
    expect(admission).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
    expect(JSON.stringify(admission)).not.toMatch(/127\.0\.0\.1|at .*\.ts/);
  }
  await close();
});

test('error: a transaction whose blockhash has run out', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  world.solana.skipSlots(151);
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({
    status: 402,
    detail: expect.stringContaining('too old'),
  });
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test.each(['loseReply', 'drop'] as const)(
  'behavior: a broadcast that meets %s settles all the same, once',
  async (kind) => {
    const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
    const payer = await world.newPayer(3n * price);
    const payload = await world.sign(cashier, payer);
    let met = 0;
    proxy.fault = (calls) =>
      calls.some(({ method }) => method === 'sendTransaction') && met++ === 0 ? { kind } : undefined;
    expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
    expect(met).toBeGreaterThan(0);
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    await close();
  },
);

test.each(['drop', 'html'] as const)('error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC meets %s', async (kind) => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  proxy.fault = () => ({ kind });
  expect(await cashier.admit(attempt)).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  proxy.fault = () => undefined;
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('error: SETTLEMENT_UNKNOWN while the status is not to be had; then the same payment is served', async () => {
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 400 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'getSignatureStatuses') ? { kind: 'drop' } : undefined;
  expect(await cashier.admit(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  proxy.fault = () => undefined;
  let admission = await cashier.admit(attempt);
  while (admission.kind === 'refuse') {
    expect(admission.code).toBe('SETTLEMENT_UNKNOWN');
    admission = await cashier.admit(attempt);
  }
  expect(admission.kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a transaction that no block takes is refused when its time is over, and stays so', async () => {
  const { cashier, close } = await world.openCashier({ rpcUrl: proxy.url });
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  proxy.fault = (calls) => {
    if (!calls.some(({ method }) => method === 'sendTransaction')) return undefined;
    world.solana.skipSlots(250);
    return { kind: 'drop' };
  };
  expect(await cashier.admit(attempt)).toMatchObject({ status: 402, detail: expect.stringContaining('ran out') });
  proxy.fault = () => undefined;
  expect(await cashier.admit(attempt)).toMatchObject({ status: 402 });
  expect(await world.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: a journaled payment of a dead process is followed to its end by the next one', async () => {
  const file = world.newLedgerFile();
  const first = await world.openCashier({
    file,
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 200, closeGraceMs: 10 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(first.cashier, payer));
  proxy.fault = (calls) => (calls.some(({ method }) => method === 'sendTransaction') ? { kind: 'drop' } : undefined);
  expect(await first.cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  await first.close();
  expect(await world.usdcOf(payer.address)).toBe(3n * price);

  const second = await world.openCashier({ file });
  expect((await second.cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await second.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when our fee payer has no SOL; the gas watch says so', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, gasWatchMs: 20 } }),
  });
  const facilitator = world.walletOf('facilitator').address;
  const payload = await world.sign(cashier, await world.newPayer(price));
  world.solana.giveLamports(facilitator, 1_000n);
  await expect.poll(() => cashier.gas()[solanaNetwork]).toBe('empty');
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  world.solana.giveLamports(facilitator, 10_000_000_000n);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  await close();
});

test('error: PaymentNetworkMismatchError when payTo has no token account, or the RPC is of another network', async () => {
  const elsewhere = await world.newPayer();
  for (const change of [
    { payTo: elsewhere.address },
    { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as const },
  ]) {
    await expect(
      world.openCashier({
        change: (config) => ({
          ...config,
          networks: config.networks.map((network) => ({ ...network, ...change }) as typeof network),
        }),
      }),
    ).rejects.toThrow(PaymentNetworkMismatchError);
  }
});
