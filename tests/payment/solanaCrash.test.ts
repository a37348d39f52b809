import { afterAll, beforeAll, expect, test } from 'vitest';
import { killAt } from './killedAt.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld } from './solanaWorld.ts';

// The ledger of Solana lives in this process, and outlives every cashier that is killed.

let world: SolanaWorld;

beforeAll(async () => {
  world = await openSolanaWorld();
});
afterAll(() => world?.close());

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
    const { networks, offers } = world.cashierConfig();
    await killAt({ place: { file }, networks, offers, attempt, stopAt: point });
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
