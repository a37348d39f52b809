import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { shareOf } from '../support/proofSize.ts';
import type { CrashPoint } from './crashingProcess.ts';
import { cleanUpProcesses, killAt, onOneDatabase, repetitions } from './killAt.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { openSolanaFixture, type SolanaFixture } from './solanaFixture.ts';

// The local Solana runs in this process and survives the killed payment services.

let fixture: SolanaFixture;
let signing: Awaited<ReturnType<SolanaFixture['openPaymentService']>>;

cleanUpProcesses();
beforeAll(async () => {
  // Slots take 20 times as long, because on a busy machine a payment could expire between kill and recovery.
  const startedAt = Date.now();
  fixture = await openSolanaFixture(() => startedAt + (Date.now() - startedAt) / 20);
  signing = await fixture.openPaymentService();
});
afterAll(async () => {
  await signing?.close();
  await fixture?.close();
});

/** The step of the kill, the payer's USDC at that step in prices, and the decision after the restart. */
const steps: [CrashPoint, bigint, 'serve' | 'replay'][] = [
  ['looked up', 3n, 'serve'],
  ['claimed', 3n, 'serve'],
  ['signed', 3n, 'serve'],
  ['journaled', 3n, 'serve'],
  ['mined', 2n, 'serve'],
  ['settled', 2n, 'serve'],
  ['answer computed', 2n, 'serve'],
  ['answered', 2n, 'replay'],
];

describe.each(databaseKinds)('%s', { timeout: 60_000 + repetitions * 30_000 }, (database) => {
  const newLocation = useDatabases(database);

  // `npm test` kills at each step on one of the two databases, `npm run prove:crashes` on both.
  test.each(shareOf(steps, databaseKinds.length, databaseKinds.indexOf(database)))(
    'behavior: after a kill at the step "%s", the restarted service serves and charges the payment once',
    async (point, remainingPrices, kind) => {
      await onOneDatabase(newLocation, async (location) => {
        const payer = await fixture.newPayer(3n * price);
        const attempt = attemptOf(await fixture.sign(signing.paymentService, payer));
        const { networks, offers } = fixture.paymentConfig();
        await killAt({ location, networks, offers, attempt, stopAt: point });
        expect(await fixture.usdcOf(payer.address)).toBe(remainingPrices * price);

        const { paymentService, close } = await fixture.openPaymentService(location);
        const decision = await paymentService.decide(attempt);
        expect(decision).toMatchObject({ kind });
        if (decision.kind === 'serve') await decision.complete(answerTo('the restarted process'));
        expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
        expect((await paymentService.decide(attempt)).kind).toBe('replay');
        await close();
      });
    },
  );
});
