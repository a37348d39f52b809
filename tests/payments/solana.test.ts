import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { expect, test } from 'vitest';
import { type PaymentDecision, PaymentNetworkMismatchError } from '../../server/payments/index.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { solanaNetwork } from './solanaFixture.ts';
import { useProxiedSolana } from './useProxiedFixture.ts';

const setup = useProxiedSolana();

const payTo = () => setup.fixture.walletOf('payTo').address;
const signatureOf = (decision: PaymentDecision): string =>
  decision.kind === 'serve' ? decodePaymentResponseHeader(decision.paymentResponse).transaction : '';

test('default: settles a payment in SPL tokens, and replays its answer without a second charge', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(3n * price);
  const [usdcBefore, lamportsBefore] = [
    await setup.fixture.usdcOf(payTo()),
    await setup.fixture.lamportsOf(setup.fixture.walletOf('facilitator').address),
  ];
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));

  const decision = await paymentService.decide(attempt);
  if (decision.kind !== 'serve') throw new Error(JSON.stringify(decision));
  await decision.complete(answerTo('solana'));

  expect(decodePaymentResponseHeader(decision.paymentResponse)).toMatchObject({
    success: true,
    network: solanaNetwork,
    payer: payer.address,
  });
  expect(await setup.fixture.statusOf(signatureOf(decision))).toMatchObject({ err: null });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await setup.fixture.usdcOf(payTo())).toBe(usdcBefore + price);
  expect(
    lamportsBefore - (await setup.fixture.lamportsOf(setup.fixture.walletOf('facilitator').address)),
  ).toBeLessThanOrEqual(20_000n);
  expect(await paymentService.decide(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('solana') });
  expect(await paymentService.decide({ ...attempt, queryKey: '{}' })).toMatchObject({ status: 409 });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('security: a wallet with funds for one of 30 simultaneous payments is charged once, and at most two transactions fail', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(price);
  const facilitator = setup.fixture.walletOf('facilitator').address;
  const [usdcBefore, lamportsBefore] = [
    await setup.fixture.usdcOf(payTo()),
    await setup.fixture.lamportsOf(facilitator),
  ];
  const payloads = await Promise.all(Array.from({ length: 30 }, () => setup.fixture.sign(paymentService, payer)));
  const decisions = await Promise.all(
    payloads.map((payload, index) => paymentService.decide(attemptOf(payload, `${index}`))),
  );
  expect(decisions.filter(({ kind }) => kind === 'serve')).toHaveLength(1);
  expect(await setup.fixture.usdcOf(payTo())).toBe(usdcBefore + price);
  // Each included transaction costs at most 20,000 lamports.
  expect(lamportsBefore - (await setup.fixture.lamportsOf(facilitator))).toBeLessThanOrEqual(60_000n);
  await close();
});

test('behavior: serves five simultaneous payments of a new wallet', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(6n * price);
  const payloads = await Promise.all(Array.from({ length: 5 }, () => setup.fixture.sign(paymentService, payer)));
  const decisions = await Promise.all(payloads.map((payload) => paymentService.decide(attemptOf(payload))));
  for (const decision of decisions) if (decision.kind === 'serve') await decision.complete(answerTo('solana'));
  expect(decisions.map(({ kind }) => kind)).toEqual(Array(5).fill('serve'));
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('security: a resent failed transaction does not pause its wallet again', async () => {
  const { paymentService, endPauses, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const other = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(price);
  const [failing, draining] = [
    await setup.fixture.sign(paymentService, payer),
    await setup.fixture.sign(paymentService, payer),
  ];
  let isDrained = false;
  let wasSent = false;
  // Delays the broadcast until another payment has emptied the wallet.
  setup.proxy.fault = (calls) => {
    if (isDrained || !calls.some(({ method }) => method === 'sendTransaction')) return undefined;
    wasSent = true;
    return { kind: 'drop' };
  };
  const deciding = paymentService.decide(attemptOf(failing));
  while (!wasSent) await sleep(20);
  expect((await other.paymentService.decide(attemptOf(draining))).kind).toBe('serve');
  isDrained = true;
  expect(await deciding).toMatchObject({ status: 402, detail: expect.stringContaining('paused for 60 s') });
  await endPauses();
  expect(await paymentService.decide(attemptOf(failing))).toMatchObject({
    status: 402,
    detail: expect.not.stringContaining('paused'),
  });
  await other.close();
  await close();
});

test('security: the offer contains the fee payer’s address, and neither RPC URL nor key', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const { accepts } = decodePaymentRequiredHeader(paymentService.challenge('quote').header);
  expect(accepts).toEqual([
    {
      scheme: 'exact',
      network: solanaNetwork,
      amount: '20000',
      asset: setup.fixture.solana.usdc,
      payTo: payTo(),
      maxTimeoutSeconds: 180,
      extra: { feePayer: setup.fixture.walletOf('facilitator').address, paymentFlow: 'upfront' },
    },
  ]);
  await close();
});

test('behavior: charges 16 funded wallets once and refuses nine empty ones, all concurrent', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payers = await Promise.all(
    Array.from({ length: 25 }, (_, i) => setup.fixture.newPayer(i % 3 === 0 ? 0n : price)),
  );
  const before = await setup.fixture.usdcOf(payTo());
  const payloads = await Promise.all(payers.map((payer) => setup.fixture.sign(paymentService, payer)));
  const decisions = await Promise.all(payloads.map((payload) => paymentService.decide(attemptOf(payload))));
  const kinds = decisions.map((decision) => (decision.kind === 'refuse' ? decision.status : decision.kind));
  expect(kinds).toEqual(payers.map((_, i) => (i % 3 === 0 ? 402 : 'serve')));
  expect(await setup.fixture.usdcOf(payTo())).toBe(before + 16n * price);
  await close();
});

test('behavior: ten concurrent identical requests get the same answer and are charged once', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(5n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  const kinds = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const decision = await paymentService.decide(attempt);
      if (decision.kind === 'serve') await decision.complete(answerTo('one'));
      return decision.kind;
    }),
  );
  expect(kinds.toSorted()).toEqual([...Array(9).fill('replay'), 'serve']);
  expect(await setup.fixture.usdcOf(payer.address)).toBe(4n * price);
  await close();
});

test('error: PAYMENT_REQUIRED for a wallet without a token account, and for one without enough funds', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  for (const units of [undefined, price - 1n]) {
    const payload = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(units));
    const decision = await paymentService.decide(attemptOf(payload));
    expect(decision).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
    expect(JSON.stringify(decision)).not.toMatch(/127\.0\.0\.1|at .*\.ts/);
  }
  await close();
});

test('error: refuses a transaction with an expired blockhash, uncharged', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService();
  const payer = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, payer);
  setup.fixture.solana.skipSlots(151);
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
    status: 402,
    detail: expect.stringContaining('too old'),
  });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test.each(['loseReply', 'drop'] as const)('behavior: settles once after a broadcast fails with %s', async (kind) => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(3n * price);
  const payload = await setup.fixture.sign(paymentService, payer);
  let broadcasts = 0;
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'sendTransaction') && broadcasts++ === 0 ? { kind } : undefined;
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(broadcasts).toBeGreaterThan(0);
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test.each(['drop', 'html'] as const)(
  'error: UPSTREAM_UNAVAILABLE, uncharged, when the RPC fails with %s',
  async (kind) => {
    const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
    const payer = await setup.fixture.newPayer(price);
    const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
    setup.proxy.fault = () => ({ kind });
    expect(await paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
    setup.proxy.fault = () => undefined;
    expect((await paymentService.decide(attempt)).kind).toBe('serve');
    expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
    await close();
  },
);

test('error: SETTLEMENT_UNKNOWN while the status is unavailable; the same payment is served afterwards', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 400 } }),
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'getSignatureStatuses') ? { kind: 'drop' } : undefined;
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  setup.proxy.fault = () => undefined;
  let decision = await paymentService.decide(attempt);
  while (decision.kind === 'refuse') {
    expect(decision.code).toBe('SETTLEMENT_UNKNOWN');
    decision = await paymentService.decide(attempt);
  }
  expect(decision.kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: refuses a transaction that no block included before it expired', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({ rpcUrl: setup.proxy.url });
  const payer = await setup.fixture.newPayer(price);
  const attempt = attemptOf(await setup.fixture.sign(paymentService, payer));
  setup.proxy.fault = (calls) => {
    if (!calls.some(({ method }) => method === 'sendTransaction')) return undefined;
    setup.fixture.solana.skipSlots(250);
    return { kind: 'drop' };
  };
  expect(await paymentService.decide(attempt)).toMatchObject({
    status: 402,
    detail: expect.stringContaining('expired'),
  });
  setup.proxy.fault = () => undefined;
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  expect(await setup.fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

test('behavior: settles a journaled payment after a restart', async () => {
  const file = setup.fixture.newLedgerFile();
  const first = await setup.fixture.openPaymentService({
    file,
    rpcUrl: setup.proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 200, closeGraceMs: 10 } }),
  });
  const payer = await setup.fixture.newPayer(3n * price);
  const attempt = attemptOf(await setup.fixture.sign(first.paymentService, payer));
  setup.proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'sendTransaction') ? { kind: 'drop' } : undefined;
  expect(await first.paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  await first.close();
  expect(await setup.fixture.usdcOf(payer.address)).toBe(3n * price);

  const second = await setup.fixture.openPaymentService({ file });
  expect((await second.paymentService.decide(attempt)).kind).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(2n * price);
  await second.close();
});

test('error: UPSTREAM_UNAVAILABLE, uncharged, when the fee payer has no SOL; the gas state is empty', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, gasWatchMs: 20 } }),
  });
  const facilitator = setup.fixture.walletOf('facilitator').address;
  const payload = await setup.fixture.sign(paymentService, await setup.fixture.newPayer(price));
  setup.fixture.solana.setLamports(facilitator, 1_000n);
  await expect.poll(() => paymentService.gasLeft()[solanaNetwork]?.state).toBe('empty');
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  setup.fixture.solana.setLamports(facilitator, 10_000_000_000n);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  await close();
});

test('error: PaymentNetworkMismatchError when payTo has no token account, or the RPC serves another network', async () => {
  const withoutTokenAccount = await setup.fixture.newPayer();
  for (const change of [
    { payTo: withoutTokenAccount.address },
    { network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' as const },
  ]) {
    await expect(
      setup.fixture.openPaymentService({
        change: (config) => ({
          ...config,
          networks: config.networks.map((network) => ({ ...network, ...change }) as typeof network),
        }),
      }),
    ).rejects.toThrow(PaymentNetworkMismatchError);
  }
});
