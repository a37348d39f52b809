import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqliteLedger, LedgerInUseError, type PaymentAttempt } from '../../server/payment/index.ts';
import type { CrashPoint, MortalOrder } from './mortalCashier.ts';
import { answerTo, attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

let world: PayWorld;

beforeAll(async () => {
  world = await openPayWorld();
});
afterAll(async () => {
  await world?.close();
});

/** Starts one payment in another process, which stops dead at `stopAt`; kill it then. */
async function startMortal(stopAt: CrashPoint, attempt: PaymentAttempt, file: string) {
  const ledger = createSqliteLedger(':memory:', Date.now);
  const { networks, offers } = world.cashierConfig(ledger, world.chain.rpcUrl);
  await ledger.close();
  const order: MortalOrder = { file, networks, offers, attempt, stopAt };
  const child = fork(join(import.meta.dirname, 'mortalCashier.ts'), [JSON.stringify(order)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  return {
    stopped: Promise.race([once(child, 'message'), exited.then(() => ['exited too early'])]),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function dieAt(stopAt: CrashPoint, attempt: PaymentAttempt, file: string): Promise<void> {
  const mortal = await startMortal(stopAt, attempt, file);
  const [reached] = await mortal.stopped;
  expect(reached).toBe(stopAt);
  await mortal.kill();
}

async function newAttempt() {
  const { cashier, close } = await world.openCashier();
  const payer = await world.newPayer(3n * price);
  const payload = await world.sign(cashier, payer);
  await close();
  return { payer, payload, attempt: attemptOf(payload) };
}

test.each([
  ['claimed', 3n],
  ['journaled', 3n],
  ['mined', 2n],
  ['settled', 2n],
] as const)(
  'behavior: killed when %s, the same payment is served after the restart and charged once',
  async (point, left) => {
    const { payer, payload, attempt } = await newAttempt();
    const file = world.newLedgerFile();
    await dieAt(point, attempt, file);
    expect(await world.usdcOf(payer.address)).toBe(left * price);

    const { cashier, close } = await world.openCashier({ file });
    const admission = await cashier.admit(attempt);
    if (admission.kind !== 'serve') throw new Error(JSON.stringify(admission));
    await admission.complete(answerTo('the living'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: answerTo('the living') });
    expect(await cashier.admit(attemptOf(payload, '{"size":"2"}'))).toMatchObject({ status: 409 });

    const next = await world.newPayer(price);
    expect((await cashier.admit(attemptOf(await world.sign(cashier, next)))).kind).toBe('serve');
    await close();
  },
);

test('behavior: killed while its transaction waits in the mempool, the payment is followed by the restart', async () => {
  const { payer, attempt } = await newAttempt();
  const file = world.newLedgerFile();
  await world.rpc('evm_setAutomine', [false]);
  const mortal = await startMortal('mined', attempt, file);
  await world.untilPending(1);
  await mortal.kill();
  const { cashier, close } = await world.openCashier({ file });
  const admitting = cashier.admit(attempt);
  await world.rpc('evm_setAutomine', [true]);
  await world.rpc('anvil_mine');
  expect((await admitting).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: killed when the answer is stored and not yet sent, the restart replays that answer', async () => {
  const { payer, attempt } = await newAttempt();
  const file = world.newLedgerFile();
  await dieAt('answered', attempt, file);
  const { cashier, close } = await world.openCashier({ file });
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'replay', answer: { body: '{"from":"the dead"}' } });
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: the restart finishes a journaled payment by itself, before anybody asks', async () => {
  const { payer, attempt } = await newAttempt();
  const file = world.newLedgerFile();
  await dieAt('journaled', attempt, file);
  const { close } = await world.openCashier({ file });
  await close();
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  const { cashier, close: closeAgain } = await world.openCashier({ file });
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await closeAgain();
});

test('behavior: a journaled payment whose nonce another process took is sent anew, and charged once', async () => {
  const { payer, attempt } = await newAttempt();
  const file = world.newLedgerFile();
  await dieAt('journaled', attempt, file);
  const other = await world.openCashier();
  expect(
    (await other.cashier.admit(attemptOf(await world.sign(other.cashier, await world.newPayer(price))))).kind,
  ).toBe('serve');
  await other.close();

  const { cashier, close } = await world.openCashier({ file });
  expect((await cashier.admit(attempt)).kind).toBe('serve');
  expect(await world.usdcOf(payer.address)).toBe(2n * price);
  await close();
});

test('behavior: a journaled payment that its payer cancelled meanwhile is refused after the restart', async () => {
  const { payer, payload, attempt } = await newAttempt();
  const file = world.newLedgerFile();
  await dieAt('journaled', attempt, file);
  await world.cancel(payer, payload);
  const { cashier, close } = await world.openCashier({ file });
  expect(await cashier.admit(attempt)).toMatchObject({ kind: 'refuse', status: 402 });
  expect(await world.usdcOf(payer.address)).toBe(3n * price);
  await close();
});

test('error: LedgerInUseError for a second opener of the same file', async () => {
  const file = world.newLedgerFile();
  const ledger = createSqliteLedger(file, Date.now);
  expect(() => createSqliteLedger(file, Date.now)).toThrow(LedgerInUseError);
  await ledger.close();
  await createSqliteLedger(file, Date.now).close();
});
