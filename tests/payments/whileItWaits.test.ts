import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Hex, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { PaymentConfig, PaymentDecision } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { answerTo, attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// Events between a payment's arrival and its inclusion, and reorganisations after it.

let fixture: PaymentFixture;

beforeAll(async () => {
  fixture = await openPaymentFixture();
});
afterEach(async () => {
  await fixture.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await fixture?.close();
});

const transactionOf = (decision: PaymentDecision): string =>
  decision.kind === 'serve'
    ? decodePaymentResponseHeader(decision.paymentResponse).transaction
    : JSON.stringify(decision);

/** Delays the verdict of the first examination until `until` resolves. */
function holdVerdict(until: () => Promise<unknown>): NonNullable<PaymentConfig['watch']> {
  let held = false;
  return async (phase, _network, work) => {
    const verdict = await work();
    if (phase === 'verify' && !held) {
      held = true;
      await until();
    }
    return verdict;
  };
}

test('behavior: a settlement whose client disconnected completes and stays as a credit', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  await fixture.rpc('evm_setAutomine', [false]);
  expect(await paymentService.decide(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('anvil_mine');
  await paymentService.close();
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a payment that expires during its settlement is awaited, not refused', async () => {
  let late = 0;
  let releaseClaim: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    releaseClaim = resolve;
  });
  const now = () => Date.now() + late;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        // Claimed and examined; its transaction is not signed yet.
        journalNext: (...step) => held.then(() => config.ledger.journalNext(...step)),
      },
    }),
  });
  const another = await fixture.openPaymentService({
    change: (config) => ({ ...config, now, ledger, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  const attempt = attemptOf(payload);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const key = `eip155:8453|${fixture.chain.usdc}|${payer.address}|${nonce}`.toLowerCase();
  const admitting = paymentService.decide(attempt);
  const isClaimed = async () => (await ledger.load(key))?.state === 'claimed';
  await expect.poll(isClaimed).toBe(true);
  // The client retries when too little time is left for a new settlement.
  late = 175_000;
  const again = paymentService.decide(attempt);
  expect(await another.paymentService.decide(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  releaseClaim();
  const [first, second] = await Promise.all([
    admitting.then(async (decision) => {
      if (decision.kind === 'serve') await decision.complete(answerTo('late'));
      return decision.kind;
    }),
    again.then(({ kind }) => kind),
  ]);
  expect([first, second]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});

test('behavior: a payment that expires during its examination gets the same result for both requests', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { paymentService, close } = await fixture.openPaymentService({ change: (config) => ({ ...config, now }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const begin = new EventEmitter();
  let looked = 0;
  // Examined, and waiting in `beforeCharge`.
  const waiting = {
    ...attempt,
    beforeCharge: async () => {
      looked += 1;
      await once(begin, 'first');
      return undefined;
    },
  };
  const admitting = paymentService.decide(waiting);
  await expect.poll(() => looked).toBe(1);
  late = 175_000;
  const again = paymentService.decide(attempt).then(({ kind }) => kind);
  // Long enough for a second examination.
  await sleep(200);
  begin.emit('first');
  const first = await admitting;
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect([first.kind, await again]).toEqual(['serve', 'replay']);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  // Without a concurrent attempt it is refused as expired.
  const other = attemptOf(await fixture.sign(paymentService, payer));
  late = 355_000;
  expect(await paymentService.decide(other)).toMatchObject({ status: 402 });
  await close();
});

test('behavior: an attempt looked up while another one was refused gets the same refusal, uncharged', async () => {
  const events = new EventEmitter();
  let looks = 0;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async load(key) {
          looks += 1;
          const row = await config.ledger.load(key);
          // The second attempt's lookup is slow.
          if (looks === 2) await once(events, 'looked');
          return row;
        },
        async refused(key, reason) {
          await once(events, 'refuse');
          await config.ledger.refused(key, reason);
        },
      },
    }),
  });
  const payer = await fixture.newPayer(price - 1n);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  const first = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const second = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  events.emit('refuse');
  expect(await first).toMatchObject({ status: 402 });
  await fixture.give(payer.address, price);
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price - 1n);
  // An attempt after the refusal settles.
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: an attempt looked up while another one failed its examination gets the same result, uncharged', async () => {
  const events = new EventEmitter();
  let looks = 0;
  let late = 175_000;
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({
      ...config,
      now: () => Date.now() + late,
      ledger: {
        ...config.ledger,
        async load(key) {
          looks += 1;
          const row = await config.ledger.load(key);
          if (looks === 2) await once(events, 'looked');
          return row;
        },
      },
      watch: holdVerdict(() => once(events, 'examined')),
    }),
  });
  const payer = await fixture.newPayer(price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // Expired by our clock, which is then corrected.
  const first = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('examined')).toBe(1);
  const second = paymentService.decide(attempt);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  late = 0;
  events.emit('examined');
  expect(await first).toMatchObject({ status: 402 });
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  expect((await paymentService.decide(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: an expired payment is not refused when another replica claimed it during the examination', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { paymentService, ledger, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, now }),
  });
  const begin = new EventEmitter();
  const watch = holdVerdict(() => once(begin, 'again'));
  const another = await fixture.openPaymentService({ change: (config) => ({ ...config, now, ledger, watch }) });
  const payer = await fixture.newPayer(3n * price);
  const attempt = attemptOf(await fixture.sign(paymentService, payer));
  // Looked up and examined, and waiting in `beforeCharge`.
  const admitting = paymentService.decide({
    ...attempt,
    beforeCharge: () => once(begin, 'first').then(() => undefined),
  });
  await expect.poll(() => begin.listenerCount('first')).toBe(1);
  late = 175_000;
  const again = another.paymentService.decide(attempt);
  await expect.poll(() => begin.listenerCount('again')).toBe(1);
  begin.emit('first');
  const first = await admitting;
  begin.emit('again');
  expect(first.kind).toBe('serve');
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect(await again).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});

test('behavior: raises the fee of a transaction that became too cheap, below the price of the call, and charges once', async () => {
  const proxy = await startRpcProxy(fixture.chain.rpcUrl);
  // A tip that leaves room for a higher base fee.
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas') ? rewriting(() => '0xf4240') : undefined;
  const { paymentService, close } = await fixture.openPaymentService({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 1_500 } }),
  });
  const payer = await fixture.newPayer(3n * price);
  const facilitator = { address: fixture.walletOf('facilitator').address };
  const before = await fixture.client.getTransactionCount(facilitator);
  const payload = await fixture.sign(paymentService, payer);
  const { baseFeePerGas } = await fixture.client.getBlock();
  await fixture.rpc('evm_setAutomine', [false]);
  const admitting = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const mineAt = async (baseFee: bigint) => {
    await fixture.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`]);
    await fixture.rpc('anvil_mine');
  };
  const readOffers = () => {
    const calls = proxy.requests.flatMap((request) => request.calls);
    const sent = calls
      .filter(({ method }) => method.startsWith('eth_sendRawTransaction'))
      .map(({ params }) => params[0] as Hex);
    return [...new Set(sent)].map((raw) => parseTransaction(raw));
  };
  const [first] = readOffers();
  // 10 gwei: far more than the call costs.
  await mineAt(10n ** 10n);
  await expect.poll(() => readOffers().length).toBe(2);
  for (const { gas = 0n, maxFeePerGas = 0n } of readOffers()) {
    // 0.02 USD, with the coin at 2,500 USD.
    expect(gas * maxFeePerGas).toBeLessThan(8n * 10n ** 12n);
  }
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);

  const settled = admitting.then(({ kind }) => kind);
  let kind: string | undefined;
  while (kind === undefined) {
    await mineAt((first?.maxFeePerGas ?? 0n) + 1n);
    kind = await Promise.race([settled, sleep(100, undefined)]);
  }
  expect(kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  expect(await fixture.client.getTransactionCount(facilitator)).toBe(before + 1);
  await mineAt(baseFeePerGas ?? 0n);
  await close();
  await proxy.close();
});

test('behavior: refuses an authorization that is cancelled while our transaction is pending', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const admitting = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  await fixture.sendCancel(payer, payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  expect(await fixture.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('behavior: serves a payment that a third party submitted before our transaction', async () => {
  const { paymentService, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(3n * price);
  const payload = await fixture.sign(paymentService, payer);
  await fixture.rpc('evm_setAutomine', [false]);
  const admitting = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const foreign = await fixture.sendElsewhere(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(transactionOf(await admitting)).toBe(foreign);
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a wallet emptied while our transaction is pending is refused and paused, and served when it pays later', async () => {
  const { paymentService, endPauses, close } = await fixture.openPaymentService();
  const payer = await fixture.newPayer(price);
  const payload = await fixture.sign(paymentService, payer);
  const drain = await fixture.signTwisted(paymentService, payer, { to: fixture.walletOf('facilitator').address });
  await fixture.rpc('evm_setAutomine', [false]);
  const admitting = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  await fixture.sendElsewhere(drain, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402 });
  await fixture.rpc('evm_setAutomine', [true]);

  await fixture.give(payer.address, price);
  expect(await paymentService.decide(attemptOf(payload))).toMatchObject({ kind: 'refuse', status: 429 });
  await endPauses();
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: sends again a served payment that the chain dropped', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  // The dropped blocks must contain only the payment.
  await fixture.rpc('anvil_mine', ['0x2']);
  const payload = await fixture.sign(paymentService, payer);
  expect((await paymentService.decide(attemptOf(payload))).kind).toBe('serve');
  expect(await fixture.usdcOf(payer.address)).toBe(price);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await fixture.rpc('anvil_mine', ['0x5']);
  await expect.poll(() => fixture.usdcOf(payer.address)).toBe(price);
  await close();
});

// Last: the funding wallet's dropped transaction leaves its nonce count wrong.
test('behavior: sends ours again when the chain drops the third party’s transaction that paid', async () => {
  const { paymentService, close } = await fixture.openPaymentService({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await fixture.newPayer(2n * price);
  const payload = await fixture.sign(paymentService, payer);
  // The dropped block must contain nothing else.
  await fixture.rpc('anvil_mine', ['0x2']);
  await fixture.rpc('evm_setAutomine', [false]);
  const admitting = paymentService.decide(attemptOf(payload));
  await fixture.untilPending(1);
  const foreign = await fixture.sendElsewhere(payload, 200_000_000_000n);
  await fixture.untilPending(2);
  await fixture.rpc('anvil_mine');
  expect(transactionOf(await admitting)).toBe(foreign);
  await fixture.rpc('evm_setAutomine', [true]);
  await fixture.rpc('anvil_reorg', [1, []]);
  await fixture.rpc('anvil_dropAllTransactions');
  expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
  await fixture.rpc('anvil_mine', ['0x5']);
  const mining = setInterval(() => void fixture.rpc('anvil_mine', ['0x1']), 100);
  await expect.poll(() => fixture.usdcOf(payer.address)).toBe(price);
  clearInterval(mining);
  await close();
});
