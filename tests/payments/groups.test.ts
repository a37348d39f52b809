import type { Hex, PrivateKeyAccount } from 'viem';
import { expect, test } from 'vitest';
import { attemptOf, price } from './paymentFixture.ts';
import { isBroadcast, serveAll, useProxiedFixture } from './useProxiedFixture.ts';
import { acceptsAlways } from './walletCodes.ts';

// Payments that wait at the same time share one transaction. The tests assert on balances and receipts.

const setup = useProxiedFixture();
/** Selector of `balanceOf(address)`. */
const balanceOfSelector = '70a08231';

test('behavior: refuses the payer without balance and charges the nine other payers of its group once', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(
    paymentService,
    Array.from({ length: 10 }, (_, index) => (index === 4 ? 0n : price)),
  );
  setup.proxy.requests.length = 0;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 4 ? 'PAYMENT_REQUIRED' : 'served')));
  expect(setup.broadcasts()).toHaveLength(1);
  for (const { payer } of payments) expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: reads the balances of all payers of a group in one request', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payers = await Promise.all(Array.from({ length: 5 }, () => setup.fixture.newPayer(5n * price)));
  const attemptFrom = async (payer: PrivateKeyAccount, input: string) =>
    attemptOf(await setup.fixture.sign(paymentService, payer), input);
  // Only a wallet that has settled before may have two open payments, and only then its balance is read.
  const first = await Promise.all(payers.map((payer) => attemptFrom(payer, '1')));
  await serveAll(await Promise.all(first.map((attempt) => paymentService.decide(attempt))));
  const pairs = await Promise.all(payers.flatMap((payer) => ['2', '3'].map((input) => attemptFrom(payer, input))));
  setup.proxy.requests.length = 0;
  setup.proxy.delayMs = 50;
  const outcomes = await serveAll(await Promise.all(pairs.map((attempt) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(pairs.map(() => 'served'));
  const readsBalance = ({ params: [call] }: { params: readonly unknown[] }) =>
    (call as { data?: Hex } | undefined)?.data?.includes(balanceOfSelector) ?? false;
  // At most one request for the first payment, which is sent alone, and one for the group of the others.
  expect(setup.proxy.requests.filter(({ calls }) => calls.some(readsBalance)).length).toBeLessThanOrEqual(2);
  await close();
});

test('behavior: when a wallet of a group is emptied after the simulation, only its payment fails', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const drained = payments[3]?.payer as PrivateKeyAccount;
  // Another authorization of the wallet is submitted before the group.
  const other = await setup.fixture.sign(paymentService, drained);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= setup.fixture.settleByThirdParty(other);
    return isDrained;
  });
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(isDrained).toBeDefined();
  expect(outcomes).toEqual(payments.map((_, index) => (index === 3 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of payments) expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: the gas limit suffices for the other members when the first one is excluded because of its code', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const [first, ...others] = payments;
  // Accepts signatures at gas price 0, as in a simulation, and reverts otherwise.
  const code = '0x3a601257631626ba7e60e01b5f5260205ff35b5f5ffd';
  await setup.fixture.rpc('anvil_setCode', [first?.payer.address, code]);
  const nonceBefore = await setup.fixture.client.getTransactionCount(setup.facilitator());
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 0 ? 'PAYMENT_REQUIRED' : 'served')));
  for (const { payer } of others) expect(await setup.fixture.usdcOf(payer.address)).toBe(0n);
  expect((await setup.fixture.client.getTransactionCount(setup.facilitator())) - nonceBefore).toBe(1);
  await close();
});

test('behavior: serves an authorization that failed on chain and was then submitted by a third party', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payer = await setup.fixture.newPayer(price);
  const payload = await setup.fixture.sign(paymentService, payer);
  const other = await setup.fixture.sign(paymentService, payer);
  let isDrained: Promise<void> | undefined;
  interceptBroadcast(() => {
    isDrained ??= setup.fixture.settleByThirdParty(other);
    return isDrained;
  });
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('refuse');
  await setup.fixture.give(payer.address, price);
  await setup.fixture.settleByThirdParty(payload);
  expect(await serveAll([await paymentService.decide(attemptOf(payload))])).toEqual(['served']);
  await close();
});

test('behavior: a database error of an excluded member affects only that member', async () => {
  const { paymentService, close } = await setup.fixture.openPaymentService({
    rpcUrl: setup.proxy.url,
    change: (config) => ({
      ...config,
      ledger: { ...config.ledger, takeGas: () => Promise.reject(new Error('no database')) },
    }),
  });
  const payments = await setup.newPayments(paymentService, [price, price, price]);
  await setup.fixture.rpc('anvil_setCode', [payments[0]?.payer.address, acceptsAlways]);
  const unhandled: unknown[] = [];
  const collect = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', collect);
  setup.proxy.delayMs = 50;
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  process.off('unhandledRejection', collect);
  expect(unhandled).toEqual([]);
  expect(outcomes.slice(1)).toEqual(['served', 'served']);
  await close();
});

/** Runs `first` before the first broadcast. All other requests reach the node. */
function interceptBroadcast(first: () => Promise<unknown>): void {
  let done = false;
  let isRunning = false;
  setup.proxy.fault = (calls) => {
    if (done || !calls.some(isBroadcast)) return undefined;
    if (!isRunning) {
      isRunning = true;
      void first().finally(() => {
        done = true;
      });
    }
    // The service repeats the broadcast until `first` is done.
    return { kind: 'drop' };
  };
}

test('security: when one of ten payers of a group delegates to code that burns gas (EIP-7702), the nine others are served and charged once', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payments = await setup.newPayments(
    paymentService,
    Array.from({ length: 10 }, () => price),
  );
  const attacker = payments[6]?.payer as PrivateKeyAccount;
  let attackGas = 0n;
  interceptBroadcast(async () => {
    attackGas = await setup.fixture.delegateToBurner(attacker);
  });
  const nonceBefore = await setup.fixture.client.getTransactionCount(setup.facilitator());
  const outcomes = await serveAll(await Promise.all(payments.map(({ attempt }) => paymentService.decide(attempt))));
  expect(outcomes).toEqual(payments.map((_, index) => (index === 6 ? 'PAYMENT_REQUIRED' : 'served')));
  expect(attackGas).toBeGreaterThan(0n);
  for (const [index, { payer }] of payments.entries()) {
    expect(await setup.fixture.usdcOf(payer.address)).toBe(index === 6 ? price : 0n);
  }
  // The attacker's payment failed in the group. It was not sent again, because its wallet fails in the simulation.
  expect((await setup.fixture.client.getTransactionCount(setup.facilitator())) - nonceBefore).toBe(1);
  await close();
});

test('behavior: sends a payment alone if its times do not fit the record of a group, and charges each of ten payments once', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const payers = await Promise.all(Array.from({ length: 10 }, () => setup.fixture.newPayer(price)));
  const payloads = await Promise.all(
    payers.map((payer, index) =>
      index === 4
        ? setup.fixture.signAltered(paymentService, payer, { validBefore: 2n ** 256n - 1n })
        : setup.fixture.sign(paymentService, payer),
    ),
  );
  const before = await setup.fixture.usdcOf(setup.fixture.payTo);
  setup.proxy.requests.length = 0;
  const decisions = await Promise.all(
    payloads.map((payload, index) => paymentService.decide(attemptOf(payload, `${index}`))),
  );
  expect(await serveAll(decisions)).toEqual(payers.map(() => 'served'));
  expect(await setup.fixture.usdcOf(setup.fixture.payTo)).toBe(before + 10n * price);
  for (const { address } of payers) expect(await setup.fixture.usdcOf(address)).toBe(0n);
  const wasSentAlone = setup.broadcasts().some(({ to, data }) => to && data?.includes('f'.repeat(64)));
  expect(wasSentAlone).toBe(true);
  await close();
});

test('default: sends a single payment at once as a plain transfer', async () => {
  const { paymentService, close } = await setup.openWithLongDeadlines();
  const [payment] = await setup.newPayments(paymentService, [price]);
  setup.proxy.requests.length = 0;
  expect(await serveAll([await paymentService.decide(payment?.attempt as never)])).toEqual(['served']);
  expect(setup.broadcasts().map(({ to }) => to?.toLowerCase())).toEqual([setup.fixture.chain.usdc.toLowerCase()]);
  await close();
});
