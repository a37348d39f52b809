import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRateWindow, windowMs } from '../../server/http/limits/rateWindow.ts';
import type { PaymentFacts } from '../../server/payments/index.ts';
import { openStores, type Stores } from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from '../storage/bothDatabases.ts';
import { hexOf, hostileJson, hostileText, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

const { numRuns } = beginFuzz(60);

/** Text that both databases can store; PostgreSQL rejects NUL and lone surrogates, and the service escapes both. */
const storable = hostileText.map((text) => Buffer.from(text.replaceAll('\0', '')).toString());

const facts = fc.record({
  key: hexOf(64),
  fingerprint: hexOf(64),
  network: fc.constantFrom('eip155:8453', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
  payer: hexOf(40),
  paid: fc.constantFrom('quote', 'pretradeCheck'),
  route: fc.constantFrom('POST /v1/quote', 'POST /trpc/quote'),
  // JSON escapes NUL and lone surrogates.
  canonicalInput: hostileJson.map((value) => JSON.stringify(value)),
  payload: hostileJson.map((value) => JSON.stringify(value)),
});
const journaled = fc.record({
  hash: hexOf(64),
  raw: hexOf(200),
  nonce: fc.nat(2 ** 31 - 1),
  account: hexOf(40),
  fromBlock: uint256,
});
const stored = fc.record({ status: fc.constantFrom(200, 503), contentType: storable, body: storable });

/** Ledger steps in any order; an invalid step is rejected and changes nothing. */
const step = fc.oneof(
  fc.record({ do: fc.constant('journal' as const), transaction: journaled }),
  fc.record({ do: fc.constant('settled' as const), paymentResponse: storable }),
  fc.record({ do: fc.constant('refused' as const) }),
  fc.record({ do: fc.constant('answered' as const), answer: stored }),
  fc.record({ do: fc.constant('failed' as const) }),
  fc.record({ do: fc.constant('release' as const) }),
  fc.record({ do: fc.constant('claim' as const) }),
);

const rank = { claimed: 0, sent: 1, refused: 1, settled: 2, answered: 3 } as const;

for (const kind of databaseKinds) {
  let maker: DatabaseMaker;
  let stores: Stores;
  let count = 0;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
    stores = await openStores(await maker.newLocation(), Date.now);
  });
  afterAll(async () => {
    await stores?.close();
    await maker?.close();
  });

  test(`behavior: ${kind}: the ledger returns a payment unchanged, and its state only advances`, async () => {
    const { ledger } = stores;
    await fc.assert(
      fc.asyncProperty(facts, fc.array(step, { maxLength: 8 }), async (generated, steps) => {
        count += 1;
        const payment: PaymentFacts = { ...generated, key: `${generated.key}${count}` };
        expect((await ledger.claim(payment)).won).toBe(true);
        expect(await ledger.load(payment.key)).toMatchObject({ ...payment, state: 'claimed', transactions: [] });
        let before = await ledger.load(payment.key);
        for (const next of steps) {
          const { key } = payment;
          const work = {
            journal: () => ledger.journal(key, next.do === 'journal' ? next.transaction : ({} as never)),
            settled: () => ledger.settled(key, next.do === 'settled' ? next.paymentResponse : ''),
            refused: () => ledger.refused(key, 'fuzz'),
            answered: () => ledger.answered(key, next.do === 'answered' ? next.answer : ({} as never)),
            failed: () => ledger.failed(key, 'fuzz'),
            release: () => ledger.release(key),
            claim: async () => void (await ledger.claim(payment)),
          }[next.do];
          const outcome = await work().then(
            () => undefined,
            (error: Error) => error,
          );
          if (outcome) expect(outcome.name).toBe('LedgerOrderError');
          const after = await ledger.load(key);
          if (after && before) {
            expect(rank[after.state]).toBeGreaterThanOrEqual(rank[before.state]);
            expect(after.transactions.slice(0, before.transactions.length)).toEqual(before.transactions);
            // A later answer does not replace the first one.
            if (before.answer) expect(after.answer).toEqual(before.answer);
            if (before.paymentResponse !== undefined) expect(after.paymentResponse).toBe(before.paymentResponse);
            expect(after).toMatchObject(payment);
          } else if (before) expect([before.state, next.do]).toEqual(['claimed', 'refused']);
          if (after && next.do === 'answered' && !outcome) expect(after.answer).toBeDefined();
          before = after;
        }
      }),
      { numRuns },
    );
  });
}

test('behavior: a wallet gets one free call for any number of concurrent attempts', async () => {
  const maker = await openDatabaseMaker('sqlite');
  const { ledger, close } = await openStores(await maker.newLocation(), Date.now);
  await fc.assert(
    fc.asyncProperty(facts, fc.integer({ min: 2, max: 6 }), async (one, tries) => {
      const claims = Array.from({ length: tries }, (_, index) => ({
        ...one,
        key: `${one.key}|${crypto.randomUUID()}|${index}`,
      }));
      for (const claim of claims) await ledger.claim(claim);
      const wallet = crypto.randomUUID();
      const trial = ({ key }: PaymentFacts) =>
        ledger.claimTrial({ key, group: 'pretrade', wallet, paymentResponse: 'free' });
      const won = await Promise.all(claims.map(trial));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await ledger.hasTrial('pretrade', wallet)).toBe(true);
      // After a release for a failed answer, exactly one more attempt succeeds.
      const winner = claims[won.indexOf(true)] as PaymentFacts;
      await ledger.failed(winner.key, 'fuzz');
      expect(await ledger.hasTrial('pretrade', wallet)).toBe(false);
      const losers = claims.filter((claim) => claim !== winner);
      expect((await Promise.all(losers.map(trial))).filter(Boolean)).toHaveLength(1);
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  );
  await close();
  await maker.close();
});

test('behavior: a window counts every hit once and ends within a minute when the clock changes', () => {
  const jump = fc.oneof(fc.nat(2_000), fc.integer({ min: -10 * windowMs, max: 10 * windowMs }));
  fc.assert(
    fc.property(fc.array(fc.tuple(jump, fc.constantFrom('a', 'b')), { maxLength: 60 }), (hits) => {
      let now = 1_800_000_000_000;
      const window = createRateWindow({ now: () => now });
      let seen: Record<string, number> = {};
      let end = 0;
      for (const [by, subject] of hits) {
        now += by;
        const { hits, endsAt } = window.hit(subject);
        expect(endsAt - now).toBeGreaterThan(0);
        expect(endsAt - now).toBeLessThanOrEqual(windowMs);
        if (endsAt !== end) seen = {};
        end = endsAt;
        seen[subject] = (seen[subject] ?? 0) + 1;
        expect(hits).toBe(seen[subject]);
      }
      window.close();
    }),
  );
});
