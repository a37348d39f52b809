import { describe, expect, test } from 'vitest';
import { databaseKinds } from './bothDatabases.ts';
import { facts, trial, useLedger } from './useLedger.ts';

// Free calls for one client address in a UTC day, tested with both databases.

const day = 86_400_000;

describe.each(databaseKinds)('%s: free calls of one address', (kind) => {
  const store = useLedger(kind);
  let wallets = 0;
  /** Uses the free call of a new wallet. */
  async function take(client?: { address: string; perDay: number }): Promise<boolean | 'limited'> {
    const key = `key ${++wallets}`;
    await store.ledger.claim({ ...facts, key });
    return store.ledger.claimTrial({ ...trial, key, wallet: key, ...(client && { client }) });
  }
  const client = { address: '192.0.2.1', perDay: 2 };

  test('behavior: the limit applies to one address in one UTC day', async () => {
    store.time = 20 * day - 1;
    expect(await take(client)).toBe(true);
    store.time = 20 * day;
    // The call of the day before does not count.
    expect([await take(client), await take(client), await take(client)]).toEqual([true, true, 'limited']);
    store.time = 21 * day - 1;
    expect(await take(client)).toBe('limited');
    expect(await take({ ...client, address: '192.0.2.2' })).toBe(true);
    expect(await take()).toBe(true);
    expect(await take({ ...client, perDay: 3 })).toBe(true);
    store.time = 21 * day;
    expect(await take(client)).toBe(true);
  });

  test('behavior: a wallet beyond the limit keeps its free call, and its payment stays claimed', async () => {
    const limited = { ...client, perDay: 0 };
    await store.ledger.claim(facts);
    expect(await store.ledger.claimTrial({ ...trial, client: limited })).toBe('limited');
    expect(await store.ledger.hasTrial(trial.group, trial.wallet)).toBe(false);
    expect(await store.ledger.load(facts.key)).toMatchObject({ state: 'claimed', trialGroup: undefined });
    expect(await store.ledger.claimTrial({ ...trial, client })).toBe(true);
  });

  test('behavior: concurrent claims from one address count each other', async () => {
    const taken = await Promise.all(Array.from({ length: 6 }, () => take(client)));
    expect(taken.filter((each) => each === true)).toHaveLength(2);
    expect(taken.filter((each) => each === 'limited')).toHaveLength(4);
  });

  test('behavior: a returned free call does not count', async () => {
    const one = { ...client, perDay: 1 };
    expect(await take(one)).toBe(true);
    expect(await take(one)).toBe('limited');
    await store.ledger.failed(`key ${wallets - 1}`, 'engine');
    expect(await take(one)).toBe(true);
  });
});
