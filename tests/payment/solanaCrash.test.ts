import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CrashPoint, MortalOrder } from './mortalCashier.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld } from './solanaWorld.ts';

// The ledger of Solana lives in this process, and outlives every cashier that is killed.

let world: SolanaWorld;

beforeAll(async () => {
  world = await openSolanaWorld();
});
afterAll(() => world?.close());

async function dieAt(stopAt: CrashPoint, attempt: MortalOrder['attempt'], file: string): Promise<void> {
  const { networks, offers } = world.cashierConfig();
  const order: MortalOrder = { file, networks, offers, attempt, stopAt };
  const child = fork(join(import.meta.dirname, 'mortalCashier.ts'), [JSON.stringify(order)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [reached] = await Promise.race([once(child, 'message'), exited.then(() => ['exited too early'])]);
  expect(reached).toBe(stopAt);
  child.kill('SIGKILL');
  await exited;
}

test.each([
  ['claimed', 3n, 'serve'],
  ['journaled', 3n, 'serve'],
  ['mined', 2n, 'serve'],
  ['settled', 2n, 'serve'],
  ['answered', 2n, 'replay'],
] as const)(
  'behavior: killed when %s, the same payment is answered after the restart and charged once',
  async (point, left, kind) => {
    const payer = await world.newPayer(3n * price);
    const signing = await world.openCashier();
    const attempt = attemptOf(await world.sign(signing.cashier, payer));
    await signing.close();
    const file = world.newLedgerFile();
    await dieAt(point, attempt, file);
    expect(await world.usdcOf(payer.address)).toBe(left * price);

    const { cashier, close } = await world.openCashier({ file });
    const admission = await cashier.admit(attempt);
    expect(admission.kind).toBe(kind);
    if (admission.kind === 'serve') await admission.complete(answerTo('the living'));
    expect(await world.usdcOf(payer.address)).toBe(2n * price);
    expect((await cashier.admit(attempt)).kind).toBe('replay');
    await close();
  },
);
