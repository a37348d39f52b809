import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, expect, test, vi } from 'vitest';
import { forgetOld, openStores } from '../../server/storage/index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('behavior: no periodic query scans a payment table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-plans-'));
  const file = join(folder, 'truefill.sqlite');
  const prepare = vi.spyOn(Libsql.prototype, 'prepare');
  const { ledger, database, book, close } = await openStores({ file }, Date.now);
  prepare.mockClear();
  await ledger.takeOverUnfinished();
  await ledger.loadHeldCredits();
  await ledger.takeRefused(16, 1_000);
  await ledger.foundPaid('key', 'RESPONSE');
  await ledger.foundExpired('key');
  await ledger.loadPaid(0);
  await ledger.load('key');
  await ledger.release('key');
  await ledger.isHeldElsewhere('key');
  await ledger.hasPaid('wallet');
  await ledger.hasTrial('pretrade', 'wallet');
  await ledger.reserve({ key: 'key', wallet: 'wallet', network: 'eip155:8453', amount: 1n });
  await ledger.loadReserved(['key']);
  await ledger.pausePayer('wallet');
  await ledger.settled('key', 'RESPONSE').catch(() => undefined);
  // Concurrent calls share other statements.
  const twice = <T>(run: (key: string) => Promise<T>) =>
    Promise.all(['one', 'two'].map((key) => run(key).catch(() => undefined)));
  await twice((key) => ledger.load(key));
  await twice((key) => ledger.reserve({ key, wallet: key, network: 'eip155:8453', amount: 1n }));
  await twice((key) => ledger.settled(key, 'RESPONSE'));
  await twice((key) => ledger.answered(key, { status: 200, contentType: 'application/json', body: '{}' }));
  await book.open();
  await book.credits();
  await book.unfinished();
  await book.dayTotals({ from: 1, to: 2 });
  await book.paid('eip155:8453', { from: 1, to: 2 });
  await forgetOld(database, Date.now(), { answersMs: 1, refusedMs: 1 });
  const statements = new Set(prepare.mock.calls.map(([text]) => String(text)));
  prepare.mockRestore();
  await close();

  const reader = new Libsql(file);
  const scans = [...statements].flatMap((text) => {
    const values = Array.from(text.matchAll(/\?/g), () => 1);
    const steps = reader.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
    const whole =
      /^SCAN (payments|answers|trials|payers|settlement_transactions|payment_identifiers)(?! USING INDEX payments_open)/;
    return steps.filter(({ detail }) => whole.test(detail)).map(({ detail }) => `${detail}: ${text}`);
  });
  reader.close();
  await rm(folder, { recursive: true });
  expect(statements.size).toBeGreaterThan(10);
  expect(scans).toEqual([]);
});
