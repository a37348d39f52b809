import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { killAt, repeat, repetitions } from './killedAt.ts';
import { answerTo, attemptOf, price } from './payWorld.ts';
import { openSolanaWorld, type SolanaWorld } from './solanaWorld.ts';

// The ledger of Solana lives in this process, and outlives every cashier that is killed.

let world: SolanaWorld;
let signing: Awaited<ReturnType<SolanaWorld['openCashier']>>;

beforeAll(async () => {
  // Blocks come slower: on a busy machine a payment would be too old before it was killed and taken up again.
  const begun = Date.now();
  world = await openSolanaWorld(() => begun + (Date.now() - begun) / 20);
  signing = await world.openCashier();
});
afterAll(async () => {
  await signing?.close();
  await world?.close();
});

describe.each(databaseKinds)('%s', { timeout: 60_000 + repetitions * 30_000 }, (database) => {
  let maker: DatabaseMaker;
  beforeAll(async () => {
    maker = await openDatabaseMaker(database);
  });
  afterAll(() => maker?.close());

  test.each([
    ['looked up', 3n, 'serve'],
    ['claimed', 3n, 'serve'],
    ['signed', 3n, 'serve'],
    ['journaled', 3n, 'serve'],
    ['mined', 2n, 'serve'],
    ['settled', 2n, 'serve'],
    ['made', 2n, 'serve'],
    ['answered', 2n, 'replay'],
  ] as const)(
    'behavior: killed when %s, the same payment is answered after the restart and charged once',
    async (point, left, kind) => {
      const place = await maker.newPlace();
      await repeat(async () => {
        const payer = await world.newPayer(3n * price);
        const attempt = attemptOf(await world.sign(signing.cashier, payer));
        const { networks, offers } = world.cashierConfig();
        await killAt({ place, networks, offers, attempt, stopAt: point });
        expect(await world.usdcOf(payer.address)).toBe(left * price);

        const { cashier, close } = await world.openCashier(place);
        const admission = await cashier.admit(attempt);
        expect(admission).toMatchObject({ kind });
        if (admission.kind === 'serve') await admission.complete(answerTo('the living'));
        expect(await world.usdcOf(payer.address)).toBe(2n * price);
        expect((await cashier.admit(attempt)).kind).toBe('replay');
        await close();
      });
    },
  );
});
