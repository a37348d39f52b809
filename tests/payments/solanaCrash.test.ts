import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseKinds } from '../storage/bothDatabases.ts';
import { useDatabases } from '../storage/useDatabases.ts';
import { cleanUpProcesses, killAt, repeat, repetitions } from './killAt.ts';
import { answerTo, attemptOf, price } from './paymentFixture.ts';
import { openSolanaFixture, type SolanaFixture } from './solanaFixture.ts';

// The local Solana runs in this process and survives the killed payment services.

let fixture: SolanaFixture;
let signing: Awaited<ReturnType<SolanaFixture['openPaymentService']>>;

cleanUpProcesses();
beforeAll(async () => {
  // Slower blocks: on a busy machine a payment would expire between kill and recovery.
  const begun = Date.now();
  fixture = await openSolanaFixture(() => begun + (Date.now() - begun) / 20);
  signing = await fixture.openPaymentService();
});
afterAll(async () => {
  await signing?.close();
  await fixture?.close();
});

describe.each(databaseKinds)('%s', { timeout: 60_000 + repetitions * 30_000 }, (database) => {
  const newPlace = useDatabases(database);

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
      const place = await newPlace();
      await repeat(async () => {
        const payer = await fixture.newPayer(3n * price);
        const attempt = attemptOf(await fixture.sign(signing.paymentService, payer));
        const { networks, offers } = fixture.paymentConfig();
        await killAt({ place, networks, offers, attempt, stopAt: point });
        expect(await fixture.usdcOf(payer.address)).toBe(left * price);

        const { paymentService, close } = await fixture.openPaymentService(place);
        const decision = await paymentService.decide(attempt);
        expect(decision).toMatchObject({ kind });
        if (decision.kind === 'serve') await decision.complete(answerTo('the living'));
        expect(await fixture.usdcOf(payer.address)).toBe(2n * price);
        expect((await paymentService.decide(attempt)).kind).toBe('replay');
        await close();
      });
    },
  );
});
