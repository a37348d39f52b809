import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { type Hex, parseTransaction } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startRpcProxy } from '../../sandbox/index.ts';
import type { Admission, CashierConfig } from '../../server/payments/index.ts';
import { rewriting } from '../rpcFaults/rewriteReplies.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// What may come between our transaction and its block, and what a chain may do to a block.

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterEach(async () => {
  await world.rpc('evm_setAutomine', [true]);
});
afterAll(async () => {
  await world?.close();
});

const transactionOf = (admission: Admission): string =>
  admission.kind === 'serve'
    ? decodePaymentResponseHeader(admission.paymentResponse).transaction
    : JSON.stringify(admission);

/** Delays the verdict of the first examination until `until` resolves. */
function holdVerdict(until: () => Promise<unknown>): NonNullable<CashierConfig['watch']> {
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

test('behavior: a settlement whose client has gone is finished, and waits as a credit', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  await world.rpc('evm_setAutomine', [false]);
  expect(await cashier.admit(attempt)).toMatchObject({ code: 'SETTLEMENT_UNKNOWN' });
  await world.rpc('evm_setAutomine', [true]);
  await world.rpc('anvil_mine');
  await cashier.close();
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a payment that runs out while it is being settled is waited for, not sent away to sign anew', async () => {
  let late = 0;
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const now = () => Date.now() + late;
  const { cashier, ledger, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      now,
      ledger: {
        ...config.ledger,
        // Claimed, and found good; its transaction is not signed yet.
        journalNext: (...step) => held.then(() => config.ledger.journalNext(...step)),
      },
    }),
  });
  const another = await world.openCashier({
    change: (config) => ({ ...config, now, ledger, timings: { ...config.timings, settleDeadlineMs: 100 } }),
  });
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  const attempt = attemptOf(payload);
  const { nonce } = (payload.payload as { authorization: { nonce: string } }).authorization;
  const key = `eip155:8453|${world.chain.usdc}|${payer.address}|${nonce}`.toLowerCase();
  const admitting = cashier.admit(attempt);
  const isClaimed = async () => (await ledger.load(key))?.state === 'claimed';
  await expect.poll(isClaimed).toBe(true);
  // Its client has lost patience, and asks again when too little is left of its time to begin with it.
  late = 175_000;
  const again = cashier.admit(attempt);
  expect(await another.cashier.admit(attempt)).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  letGo();
  const [first, second] = await Promise.all([
    admitting.then(async (admission) => {
      if (admission.kind === 'serve') await admission.complete(answerTo('late'));
      return admission.kind;
    }),
    again.then(({ kind }) => kind),
  ]);
  expect([first, second]).toEqual(['serve', 'replay']);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});

test('behavior: a payment that runs out while it is looked at is not sent away by who asks again: both hear the same', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { cashier, close } = await world.openCashier({ change: (config) => ({ ...config, now }) });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const begin = new EventEmitter();
  let looked = 0;
  // Found good, and waits for whether it can be answered.
  const waiting = {
    ...attempt,
    beforeCharge: async () => {
      looked += 1;
      await once(begin, 'first');
      return undefined;
    },
  };
  const admitting = cashier.admit(waiting);
  await expect.poll(() => looked).toBe(1);
  late = 175_000;
  const again = cashier.admit(attempt).then(({ kind }) => kind);
  // Long enough for a verdict of its own.
  await sleep(200);
  begin.emit('first');
  const first = await admitting;
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect([first.kind, await again]).toEqual(['serve', 'replay']);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  // Alone, it is what it is.
  const other = attemptOf(await world.sign(cashier, payer));
  late = 355_000;
  expect(await cashier.admit(other)).toMatchObject({ status: 402 });
  await close();
});

test('behavior: a try that was looked up while another one was refused hears the same refusal, and charges nothing', async () => {
  const events = new EventEmitter();
  let looks = 0;
  const { cashier, close } = await world.openCashier({
    change: (config) => ({
      ...config,
      ledger: {
        ...config.ledger,
        async load(key) {
          looks += 1;
          const row = await config.ledger.load(key);
          // The second one's is a slow look.
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
  const payer = await world.newPayer(price - 1n);
  const attempt = attemptOf(await world.sign(cashier, payer));
  const first = cashier.admit(attempt);
  await expect.poll(() => events.listenerCount('refuse')).toBe(1);
  const second = cashier.admit(attempt);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  events.emit('refuse');
  expect(await first).toMatchObject({ status: 402 });
  await world.give(payer.address, price);
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await world.usdcOf(payer.address)).toBe(2n * price - 1n);
  // Sent after the refusal, it is meant.
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a try that was looked up while another one was found wanting hears the same verdict, and charges nothing', async () => {
  const events = new EventEmitter();
  let looks = 0;
  let late = 175_000;
  const { cashier, close } = await world.openCashier({
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
  const payer = await world.newPayer(price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  // Too late by our clock, which is then put right.
  const first = cashier.admit(attempt);
  await expect.poll(() => events.listenerCount('examined')).toBe(1);
  const second = cashier.admit(attempt);
  await expect.poll(() => events.listenerCount('looked')).toBe(1);
  late = 0;
  events.emit('examined');
  expect(await first).toMatchObject({ status: 402 });
  events.emit('looked');
  expect(await second).toMatchObject({ status: 402 });
  expect(await world.usdcOf(payer.address)).toBe(price);
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  await close();
});

test('behavior: a payment that ran out is not sent away when another replica began with it while one looked at it', async () => {
  let late = 0;
  const now = () => Date.now() + late;
  const { cashier, ledger, close } = await world.openCashier({ change: (config) => ({ ...config, now }) });
  const begin = new EventEmitter();
  const watch = holdVerdict(() => once(begin, 'again'));
  const another = await world.openCashier({ change: (config) => ({ ...config, now, ledger, watch }) });
  const payer = await world.newPayer(3n * price);
  const attempt = attemptOf(await world.sign(cashier, payer));
  // Looked up in the ledger and examined, and waits for whether it can be answered.
  const admitting = cashier.admit({ ...attempt, beforeCharge: () => once(begin, 'first').then(() => undefined) });
  await expect.poll(() => begin.listenerCount('first')).toBe(1);
  late = 175_000;
  const again = another.cashier.admit(attempt);
  await expect.poll(() => begin.listenerCount('again')).toBe(1);
  begin.emit('first');
  const first = await admitting;
  begin.emit('again');
  expect(first.kind).toBe('serve');
  if (first.kind === 'serve') await first.complete(answerTo('late'));
  expect(await again).toMatchObject({ status: 503, code: 'SETTLEMENT_UNKNOWN' });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await another.close();
  await close();
});

test('behavior: a transaction that became too cheap is priced anew below the price of the call, and pays once', async () => {
  const proxy = await startRpcProxy(world.chain.rpcUrl);
  // A tip that leaves room for a dearer base fee.
  proxy.fault = (calls) =>
    calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas') ? rewriting(() => '0xf4240') : undefined;
  const { cashier, close } = await world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, bumpAfterMs: 1_500 } }),
  });
  const payer = await world.newPayer(3n * price);
  const facilitator = { address: world.walletOf('facilitator').address };
  const before = await world.client.getTransactionCount(facilitator);
  const payload = await world.sign(cashier, payer);
  const { baseFeePerGas } = await world.client.getBlock();
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  const mineAt = async (baseFee: bigint) => {
    await world.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`]);
    await world.rpc('anvil_mine');
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
  expect(await world.usdcOf(payer.address)).toBe(3n * price);

  const settled = admitting.then(({ kind }) => kind);
  let kind: string | undefined;
  while (kind === undefined) {
    await mineAt((first?.maxFeePerGas ?? 0n) + 1n);
    kind = await Promise.race([settled, sleep(100, undefined)]);
  }
  expect(kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  expect(await world.client.getTransactionCount(facilitator)).toBe(before + 1);
  await mineAt(baseFeePerGas ?? 0n);
  await close();
  await proxy.close();
});

test('behavior: an authorization cancelled while our transaction waits is refused', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendCancel(payer, payload, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402, code: 'PAYMENT_REQUIRED' });
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('behavior: somebody who sends our authorization first pays us all the same, and it is served', async () => {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  const foreign = await world.sendElsewhere(payload, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(transactionOf(await admitting)).toBe(foreign);
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a wallet emptied while our transaction waits is refused, paused, and served when it pays after all', async () => {
  const { cashier, endPauses, close } = await world.openCashier();
  const payer = await world.newPayer(price);
  const payload = await world.sign(cashier, payer);
  const drain = await world.signTwisted(cashier, payer, { to: world.walletOf('stranger').address });
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  await world.sendElsewhere(drain, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(await admitting).toMatchObject({ kind: 'refuse', status: 402 });
  await world.rpc('evm_setAutomine', [true]);

  await world.give(payer.address, price);
  expect(await cashier.admit(attemptOf(payload))).toMatchObject({ kind: 'refuse', status: 429 });
  await endPauses();
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(0n);
  await close();
});

test('behavior: a served payment that the chain drops is sent again, and paid after all', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await world.newPayer(2n * price);
  // The blocks that are to be dropped hold nothing but the payment.
  await world.rpc('anvil_mine', ['0x2']);
  const payload = await world.sign(cashier, payer);
  expect((await cashier.admit(attemptOf(payload))).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(price);
  await world.rpc('anvil_reorg', [1, []]);
  await world.rpc('anvil_dropAllTransactions');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await world.rpc('anvil_mine', ['0x5']);
  await expect.poll(() => world.usdcOf(payer.address)).toBe(price);
  await close();
});

// Last: the wallet that gives money has sent what the chain then forgets.
test('behavior: paid by somebody else’s transaction that the chain drops, ours is sent again', async () => {
  const { cashier, close } = await world.openCashier({
    change: (config) => ({ ...config, timings: { ...config.timings, recheckMs: 50 } }),
  });
  const payer = await world.newPayer(2n * price);
  const payload = await world.sign(cashier, payer);
  // The block that is to be dropped holds nothing else.
  await world.rpc('anvil_mine', ['0x2']);
  await world.rpc('evm_setAutomine', [false]);
  const admitting = cashier.admit(attemptOf(payload));
  await world.untilPending(1);
  const foreign = await world.sendElsewhere(payload, 200_000_000_000n);
  await world.untilPending(2);
  await world.rpc('anvil_mine');
  expect(transactionOf(await admitting)).toBe(foreign);
  await world.rpc('evm_setAutomine', [true]);
  await world.rpc('anvil_reorg', [1, []]);
  await world.rpc('anvil_dropAllTransactions');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await world.rpc('anvil_mine', ['0x5']);
  const mining = setInterval(() => void world.rpc('anvil_mine', ['0x1']), 100);
  await expect.poll(() => world.usdcOf(payer.address)).toBe(price);
  clearInterval(mining);
  await close();
});
