import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../server/storage/database/database.ts';
import { openSqliteToRead } from '../../server/storage/database/sqlite.ts';
import { createAnswerShare, createStoreProbe, openStores } from '../../server/storage/index.ts';
import { createSharedAnswers } from '../../server/storage/shared/sharedAnswers.ts';
import { databaseKinds } from './bothDatabases.ts';
import { useStores } from './useStores.ts';

describe.each(databaseKinds)('%s: rate limits', (kind) => {
  const opened = useStores(kind);

  test('default: sums the counts of a window and deletes old windows', async () => {
    const { rates } = opened.stores;
    expect(
      await rates.add(0, [
        { subject: 'b', hits: 2 },
        { subject: 'a', hits: 1 },
      ]),
    ).toEqual(
      expect.arrayContaining([
        { subject: 'a', hits: 1 },
        { subject: 'b', hits: 2 },
      ]),
    );
    await Promise.all(
      Array.from({ length: 20 }, () =>
        rates.add(0, [
          { subject: 'a', hits: 1 },
          { subject: 'b', hits: 1 },
        ]),
      ),
    );
    expect(await rates.add(0, [{ subject: 'a', hits: 1 }])).toEqual([{ subject: 'a', hits: 22 }]);
    expect(await rates.add(60_000, [{ subject: 'a', hits: 1 }])).toEqual([{ subject: 'a', hits: 1 }]);
    await rates.forgetBefore(60_000);
    expect(await rates.add(0, [{ subject: 'b', hits: 1 }])).toEqual([{ subject: 'b', hits: 1 }]);
  });
});

describe.each(databaseKinds)('%s: shared answers', (kind) => {
  const opened = useStores(kind);

  test('default: one replica may read, and later answers do not replace the first one until it expires', async () => {
    const { answers } = opened.stores;
    const begun = await Promise.all(Array.from({ length: 10 }, () => answers.beginReading('q', 5_000)));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await answers.load('q')).toBeUndefined();
    const first = { answer: 'é', validUntil: opened.time + 100 };
    expect(await answers.save('q', first)).toEqual(first);
    expect(await answers.save('q', { answer: 'later', validUntil: opened.time + 200 })).toEqual(first);
    expect(await answers.load('q')).toEqual(first);
    expect(await answers.beginReading('q', 5_000)).toBe(false);
    opened.time += 100;
    expect(await answers.load('q')).toBeUndefined();
    expect(await answers.beginReading('q', 5_000)).toBe(true);
  });

  test('behavior: after a replica gives up or takes too long, another one reads', async () => {
    const { answers } = opened.stores;
    await answers.beginReading('q', 5_000);
    await answers.giveUp('q');
    expect(await answers.beginReading('q', 5_000)).toBe(true);
    expect(await answers.beginReading('q', 5_000)).toBe(false);
    opened.time += 5_000;
    expect(await answers.beginReading('q', 5_000)).toBe(true);
  });

  test('behavior: versions of the service do not share answers', async () => {
    const [older, newer] = ['1', '2'].map((version) =>
      createAnswerShare(opened.stores.answers, version, () => undefined),
    );
    await older?.save('q', { answer: 'old', validUntil: opened.time + 100 });
    expect(await newer?.load('q')).toBeUndefined();
  });
});

describe.each(databaseKinds)('%s: origin', (kind) => {
  const opened = useStores(kind);

  test('default: a database is new at its first start only', async () => {
    expect(opened.stores.database.origin).toBe('created');
    await opened.reopen();
    expect(opened.stores.database.origin).toBe('existing');
  });
});

describe.each(databaseKinds)('%s: expiry of shared answers', (kind) => {
  const opened = useStores(kind);

  test('behavior: an expired answer is replaced, and the reader of a later read is not disturbed', async () => {
    const { answers } = opened.stores;
    const at = opened.time;
    await answers.save('q', { answer: 'old', validUntil: at + 100 });
    opened.time += 100;
    const next = { answer: 'new', validUntil: opened.time + 100 };
    expect(await answers.save('q', next)).toEqual(next);
    expect(await answers.save('late', { answer: 'expired', validUntil: at })).toEqual({
      answer: 'expired',
      validUntil: at,
    });
    opened.time += 100;
    expect(await answers.beginReading('q', 5_000)).toBe(true);
    // Another replica gives up a read that it no longer owns.
    const other = createSharedAnswers(opened.stores.database, 'other', () => opened.time);
    await other.giveUp('q');
    expect(await other.beginReading('q', 5_000)).toBe(false);
    opened.time += 4_999;
    expect(await other.beginReading('q', 5_000)).toBe(false);
    opened.time += 1;
    expect(await other.beginReading('q', 5_000)).toBe(true);
    await other.giveUp('another');
    expect(await answers.beginReading('q', 5_000)).toBe(false);
  });

  test('behavior: deletes answers that expired and that no replica is reading', async () => {
    const { answers, database } = opened.stores;
    const questions = async () =>
      (await database.read.selectFrom('shared_answers').select('question').orderBy('question').execute()).map(
        ({ question }) => question,
      );
    await answers.save('valid', { answer: 'a', validUntil: opened.time });
    await answers.save('expired', { answer: 'a', validUntil: opened.time - 1 });
    await answers.save('read again', { answer: 'a', validUntil: opened.time - 1 });
    await answers.beginReading('read again', 0);
    await answers.beginReading('being read', 5_000);
    await answers.forgetBefore(opened.time);
    expect(await questions()).toEqual(['being read', 'read again', 'valid']);
  });
});

describe.each(databaseKinds)('%s: many counts', (kind) => {
  const opened = useStores(kind);

  test('behavior: counts more subjects than fit into one statement', async () => {
    const { rates } = opened.stores;
    const seen = Array.from({ length: 1_001 }, (_, index) => ({ subject: `address ${index}`, hits: index + 1 }));
    const bySubject = (all: readonly { subject: string; hits: number }[]) =>
      all.toSorted((left, right) => left.hits - right.hits);
    expect(bySubject(await rates.add(0, seen))).toEqual(seen);
    expect(bySubject(await rates.add(0, seen))).toEqual(seen.map(({ subject, hits }) => ({ subject, hits: 2 * hits })));
    expect(await rates.add(0, [])).toEqual([]);
    // In one order, so that two replicas do not lock each other out.
    const reversed = ['c', 'a', 'b'].map((subject) => ({ subject, hits: 1 }));
    if (kind === 'sqlite')
      expect((await rates.add(1, reversed)).map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);
  });
});

describe.each(databaseKinds)('%s: probe', (kind) => {
  const opened = useStores(kind);

  test('default: writes once for any number of callers, and again after five seconds', async () => {
    let writes = 0;
    const database: Pick<Database, 'write'> = {
      write: (work) => {
        writes += 1;
        return opened.stores.database.write(work);
      },
    };
    const probe = createStoreProbe(database, { now: () => opened.time, replica: 'one' });
    expect(await Promise.all(Array.from({ length: 50 }, () => probe.check()))).toEqual(Array(50).fill(true));
    expect(await probe.check()).toBe(true);
    expect(writes).toBe(1);
    opened.time += 5_001;
    expect(await probe.check()).toBe(true);
    expect(writes).toBe(2);
    expect(await opened.stores.database.read.selectFrom('write_probes').selectAll().execute()).toEqual([]);
  });

  test('error: a write that does not complete within two seconds counts as unavailable', async () => {
    const database = { write: () => new Promise<never>(() => undefined) };
    const probe = createStoreProbe(database, { now: () => opened.time, replica: 'one' });
    expect(await probe.check()).toBe(false);
  });
});

test('security: DatabaseUnavailableError contains neither host, user nor password', async () => {
  const opening = openStores({ url: 'postgres://me:s3cret@127.0.0.1:1/none' }, Date.now);
  await expect(opening).rejects.toMatchObject({ name: 'DatabaseUnavailableError' });
  await expect(opening).rejects.not.toThrow(/s3cret|127\.0\.0\.1|me:/);
});

test('a replica that cannot take its lease leaves no open database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-stores-'));
  const file = join(folder, 'truefill.sqlite');
  const failing = openStores({ file }, () => {
    throw new RangeError('no clock');
  });
  await expect(failing).rejects.toThrow('no clock');
  const stores = await openStores({ file }, Date.now);
  // Only the lease of this process remains, and it ends with it.
  const leases = await stores.database.read.selectFrom('replicas').select('replica').execute();
  expect(leases).toEqual([{ replica: stores.replica }]);
  await stores.close();
  const reader = openSqliteToRead(file);
  expect(await reader.read.selectFrom('replicas').selectAll().execute()).toEqual([]);
  await reader.close();
  await rm(folder, { recursive: true });
});
