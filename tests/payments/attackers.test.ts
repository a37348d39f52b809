import { expect, test } from 'vitest';
import type { PaymentService } from '../../server/payments/index.ts';
import { databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import { attemptOf, price } from './paymentFixture.ts';
import { estimateAtLatest, useAttackedFixture } from './useAttackedFixture.ts';

// Attempts to make the facilitator spend gas without a payment. The tests assert on the chain's receipts.

const setup = useAttackedFixture();

const overdraftTitle =
  'a wallet with funds for one of 100 simultaneous payments is charged once; at most two transactions revert';

test.each(shareOf(databaseKinds, 2, 1))(`security: %s: ${overdraftTitle}`, { timeout: 120_000 }, async (kind) => {
  const maker = await openDatabaseMaker(kind);
  const location = await maker.newLocation();
  // Only one process can open an SQLite file, so only PostgreSQL has two replicas.
  const replicas = [await setup.openBehindProxy({}, location)];
  if (kind === 'postgres') replicas.push(await setup.openBehindProxy({}, location));
  const paymentServices = replicas.map(({ paymentService }) => paymentService);
  const [paymentService] = paymentServices as [PaymentService];
  const payer = await setup.fixture.newPayer(price);
  const payloads = await Promise.all(Array.from({ length: 100 }, () => setup.fixture.sign(paymentService, payer)));
  const sinceBlock = await setup.fixture.client.getBlockNumber();
  await setup.fixture.rpc('evm_setAutomine', [false]);
  await setup.fixture.rpc('evm_setIntervalMining', [2]);
  const decisions = await Promise.all(
    payloads.map((payload, index) =>
      (paymentServices[index % paymentServices.length] ?? paymentService).decide(
        attemptOf(payload, `{"size":"${index}"}`),
      ),
    ),
  );
  const served = decisions.filter(({ kind }) => kind === 'serve');
  expect(served).toHaveLength(1);
  const spent = await setup.spendingSince(sinceBlock);
  expect(spent.paid).toBe(1);
  expect(spent.reverted).toBeLessThanOrEqual(2);
  for (const decision of decisions) {
    if (decision.kind !== 'refuse') continue;
    expect([402, 429]).toContain(decision.status);
    // A 429 can follow a simulation. The node then has the signed payment, so the text only covers this request.
    const uncharged =
      decision.status === 402 ? /Nothing was charged/ : /Nothing was charged|This request charged nothing/;
    expect(decision.detail).toMatch(uncharged);
  }
  for (const { close } of replicas) await close();
  await maker.close();
});

test('error: the refusal states the reserved amount when the balance does not cover a second open payment', async () => {
  const { paymentService, close } = await setup.openBehindProxy();
  const payer = await setup.fixture.newPayer(2n * price);
  const [first, second, third] = await Promise.all(
    Array.from({ length: 3 }, () => setup.fixture.sign(paymentService, payer)),
  );
  const { decide } = paymentService;
  expect((await decide(attemptOf(first as never))).kind).toBe('serve');
  await setup.fixture.rpc('evm_setAutomine', [false]);
  const pending = decide(attemptOf(second as never));
  await setup.fixture.untilPending(1);
  expect(await decide(attemptOf(third as never))).toMatchObject({
    status: 402,
    detail: expect.stringMatching(/holds 0\.02 USDC .* have reserved 0\.02 USDC/),
  });
  await setup.fixture.rpc('evm_setAutomine', [true]);
  await setup.fixture.rpc('evm_mine');
  expect((await pending).kind).toBe('serve');
  await close();
});

test('behavior: serves all simultaneous payments of a wallet that can afford them', async () => {
  const { paymentService, close } = await setup.openBehindProxy();
  const payer = await setup.fixture.newPayer(10n * price);
  const payloads = await Promise.all(Array.from({ length: 10 }, () => setup.fixture.sign(paymentService, payer)));
  const decisions = await Promise.all(
    payloads.map((payload, index) => paymentService.decide(attemptOf(payload, `${index}`))),
  );
  expect(decisions.map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'serve'));
  expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('security: pauses a wallet whose transfer failed on chain, also after a restart, and serves other wallets', async () => {
  const file = setup.fixture.newLedgerFile();
  const first = await setup.openBehindProxy({}, { file });
  const payer = await setup.fixture.newPayer(5n * price);
  const payload = await setup.fixture.sign(first.paymentService, payer);
  let cancelled: Promise<void> | undefined;
  let isCancelled = false;
  // The payer cancels after the simulation. The service repeats the broadcast until the node accepts it.
  setup.proxy.fault = (calls) => {
    if (!calls.some(({ method }) => method.startsWith('eth_sendRawTransaction'))) return estimateAtLatest(calls);
    cancelled ??= setup.fixture.cancel(payer, payload).then(() => {
      isCancelled = true;
    });
    return isCancelled ? undefined : { kind: 'drop' };
  };
  const sinceBlock = await setup.fixture.client.getBlockNumber();
  expect(await first.paymentService.decide(attemptOf(payload))).toMatchObject({ status: 402 });
  await cancelled;
  expect(await setup.spendingSince(sinceBlock)).toMatchObject({ reverted: 1, paid: 0 });

  const next = attemptOf(await setup.fixture.sign(first.paymentService, payer));
  const paused = { status: 429, code: 'RATE_LIMITED', detail: expect.stringContaining('This request charged nothing') };
  const decision = await first.paymentService.decide(next);
  expect(decision).toMatchObject(paused);
  const wait = Number(decision.kind === 'refuse' && decision.headers['Retry-After']);
  expect(wait).toBeGreaterThan(50);
  expect(wait).toBeLessThanOrEqual(60);
  await first.close();

  const second = await setup.openBehindProxy({}, { file });
  expect(await second.paymentService.decide(next)).toMatchObject(paused);
  const other = await setup.fixture.newPayer(price);
  expect(
    (await second.paymentService.decide(attemptOf(await setup.fixture.sign(second.paymentService, other)))).kind,
  ).toBe('serve');
  expect(await setup.fixture.usdcOf(payer.address)).toBe(5n * price);
  await second.close();
});

test('behavior: logs each refusal with code, reason, payer, network and request id, without the signature', async () => {
  const lines: { facts: Record<string, unknown>; message: string }[] = [];
  const logger = {
    info: (facts: object, message: string) => void lines.push({ facts: { ...facts }, message }),
    warn: () => undefined,
    error: () => undefined,
  };
  const { paymentService, close } = await setup.openBehindProxy({ logger });
  const payer = await setup.fixture.newPayer(price - 1n);
  const payload = await setup.fixture.sign(paymentService, payer);
  const attempt = { ...attemptOf(payload), requestId: 'request-1' };
  expect(await paymentService.decide(attempt)).toMatchObject({ status: 402 });
  expect(await paymentService.decide({ ...attempt, requestId: 'request-2', paymentHeader: 'garbage' })).toMatchObject({
    status: 400,
  });
  const refusals = lines.filter(({ message }) => message === 'Payment refused').map(({ facts }) => facts);
  expect(refusals).toEqual([
    {
      requestId: 'request-1',
      paid: 'quote',
      status: 402,
      code: 'PAYMENT_REQUIRED',
      reason: 'invalid_exact_evm_insufficient_balance',
      detail: expect.stringMatching(/Nothing was charged/),
      network: 'eip155:8453',
      payer: payer.address,
    },
    expect.objectContaining({
      requestId: 'request-2',
      status: 400,
      code: 'INVALID_REQUEST',
      detail: expect.stringMatching(/Nothing was charged/),
    }),
  ]);
  expect(JSON.stringify(lines)).not.toContain(String(payload.payload.signature).slice(2, 40));
  await close();
});
