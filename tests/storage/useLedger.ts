import { afterEach, beforeEach } from 'vitest';
import type { PaymentFacts, PaymentLedger } from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores, type Stores } from '../../server/storage/index.ts';
import type { DatabaseKind } from './bothDatabases.ts';
import { useDatabases } from './useDatabases.ts';

export const facts: PaymentFacts = {
  key: 'eip155:8453|0xasset|0xfrom|0xnonce',
  fingerprint: 'f1',
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{"a":"é"}',
  payload: '{}',
};
export const transaction = { hash: '0x01', raw: '0x02', nonce: 7, fromBlock: 2n ** 60n } as const;
export const answer = { status: 200, contentType: 'application/json', body: '{ "é":\t1 }\n' };
export const trial = { key: facts.key, group: 'pretrade', wallet: '0xfrom', paymentResponse: 'FREE' };
export const reserving = { wallet: '0xfrom', network: facts.network, amount: 20_000n };

/** Networks on which a failed settlement costs this service gas. */
export const earnedOn = ['eip155:8453', 'eip155:137', 'eip155:42161'];

/** A new, empty ledger for each test of the calling suite. */
export function useLedger(kind: DatabaseKind) {
  const newLocation = useDatabases(kind);
  let location: DatabaseLocation;
  const open = async (): Promise<Stores> => {
    const stores = await openStores(location, () => store.time);
    store.opened.push(stores);
    store.ledger = stores.ledger;
    return stores;
  };
  const store = {
    ledger: undefined as unknown as PaymentLedger,
    /** The process's clock, in milliseconds. */
    time: 0,
    /** The open stores, oldest first. */
    opened: [] as Stores[],
    open,
    /** Simulates a killed process: its lease expires on PostgreSQL, its file lock ends on SQLite. Opens new stores. */
    async restart(): Promise<Stores> {
      const dead = store.opened.pop();
      await dead?.close();
      store.time += 21_000;
      const stores = await open();
      if (kind === 'postgres' && dead) {
        const row = { replica: dead.replica, alive_until: Date.now() - 1_000, started_at: 0 };
        await stores.database.write((sql) => sql.insertInto('replicas').values(row).execute());
      }
      return stores;
    },
    async endPauses(): Promise<void> {
      await store.opened.at(-1)?.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute());
    },
    async claimAll(count: number): Promise<string[]> {
      const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
      for (const key of keys) await store.ledger.claim({ ...facts, key });
      return keys;
    },
  };
  beforeEach(async () => {
    store.time = 1_000;
    location = await newLocation();
    await open();
  });
  afterEach(async () => {
    for (const stores of store.opened) await stores.close();
    store.opened = [];
  });
  return store;
}
