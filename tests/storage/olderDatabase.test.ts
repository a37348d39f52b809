import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { migrations } from '../../server/storage/database/migrations.ts';
import { type DatabaseLocation, DatabaseTooOldError, openBook, openStores } from '../../server/storage/index.ts';
import { databaseKinds } from './bothDatabases.ts';
import { useDatabases } from './useDatabases.ts';

// Upgrades the tables and payments of every published version.

/** Statements that create the database of a version, with payments in each state. */
function databaseOf(version: number): string[] {
  return [
    'CREATE TABLE migrations (version BIGINT PRIMARY KEY)',
    ...migrations.slice(0, version).flat(),
    ...Array.from({ length: version }, (_, index) => `INSERT INTO migrations (version) VALUES (${index + 1})`),
    `INSERT INTO payments (payment_key, fingerprint, network, payer, paid, route, canonical_input, payload, state,
      payment_response, created_at, updated_at)
      VALUES ('old', 'f', 'eip155:8453', '0xFrom', 'quote', 'POST /v1/quote', '{}', '{}', 'answered', 'RESPONSE', 1, 1)`,
    `INSERT INTO answers (payment_key, status, content_type, body, created_at)
      VALUES ('old', 200, 'application/json', '{}', 1)`,
    ...(['sent', 'settled', 'refused', 'free'] as const).map(
      (
        name,
      ) => `INSERT INTO payments (payment_key, fingerprint, network, payer, paid, route, canonical_input, payload, state,
        trial_group, payment_response, created_at, updated_at)
        VALUES ('${name}', 'f', 'eip155:8453', '0xFrom', 'quote', 'POST /v1/quote', '{}', '{}',
        '${name === 'free' ? 'answered' : name}', ${name === 'free' ? "'pretrade'" : 'NULL'},
        ${name === 'settled' || name === 'free' ? "'RESPONSE'" : 'NULL'}, 1, 1)`,
    ),
    ...['sent', 'settled', 'refused'].map(
      (name, nonce) => `INSERT INTO settlement_transactions (payment_key, position, hash, raw, account, account_nonce,
        from_block, created_at) VALUES ('${name}', 0, '0x${name}', '0xraw', 'eip155:8453|0xkey', ${nonce}, '7', 1)`,
    ),
    `INSERT INTO trials (trial_group, wallet, payment_key, created_at) VALUES ('pretrade', '0xfree', 'free', 1)`,
  ];
}

async function run(location: DatabaseLocation, statements: readonly string[]): Promise<void> {
  if ('url' in location) {
    const client = new pg.Client({ connectionString: location.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
    return;
  }
  mkdirSync(dirname(location.file), { recursive: true });
  const connection = new Libsql(location.file);
  for (const statement of statements) connection.exec(statement);
  connection.close();
}

const answer = { status: 200, contentType: 'application/json', body: '{}' };

describe.each(databaseKinds)('%s', (kind) => {
  const newLocation = useDatabases(kind);

  test.each(migrations.map((_, index) => index + 1))('default: upgrades a database of version %i', async (version) => {
    const location = await newLocation();
    await run(location, databaseOf(version));
    // A command for operators does not upgrade the tables of the version that runs.
    if (version < migrations.length) await expect(openBook(location)).rejects.toThrow(DatabaseTooOldError);
    const { ledger, book, close } = await openStores(location, () => 1_000);
    expect(await ledger.load('old')).toMatchObject({ state: 'answered', answer: { status: 200, body: '{}' } });
    expect(await book.find('old')).toMatchObject([{ amount: null, asset: null, gasUsed: null, gasMicroUsd: null }]);
    const facts = { fingerprint: 'f', network: 'eip155:8453', payer: '0xFrom', paid: 'quote', payload: '{}' };
    await ledger.claim({ ...facts, key: 'new', route: 'POST /v1/quote', canonicalInput: '{}' });
    expect(await ledger.claimIdentifier({ key: 'new', wallet: '0xfrom', identifier: 'order-0000000001' })).toBe(true);
    const claim = { wallet: '0xfrom', network: 'eip155:8453', amount: 20_000n };
    expect(await ledger.reserve({ ...claim, key: 'new' })).toEqual({ kind: 'reserved', before: [] });
    expect(await ledger.takeGas({ class: 'contract wallets', perHour: 1_000 }, 1_000)).toBeUndefined();
    // Sent payments keep their bytes, and credits and used free calls stay. Refused payments may be retried.
    const sent = { hash: '0xsent', raw: '0xraw', nonce: 0, account: 'eip155:8453|0xkey', fromBlock: 7n };
    expect(await ledger.takeOverUnfinished()).toMatchObject([
      { key: 'sent', state: 'sent', transactions: [sent] },
      { key: 'new' },
    ]);
    expect(await ledger.loadOpenTransactions('eip155:8453|0xkey', { from: 0, below: 9 })).toEqual([sent]);
    expect(await ledger.load('settled')).toMatchObject({ state: 'settled', paymentResponse: 'RESPONSE' });
    expect(await ledger.answered('settled', answer)).toEqual(answer);
    const refused = { ...facts, key: 'refused', route: 'POST /v1/quote', canonicalInput: '{}' };
    expect(await ledger.claim(refused)).toMatchObject({ won: true, row: { state: 'refused' } });
    expect(await ledger.hasTrial('pretrade', '0xfree')).toBe(true);
    const group = { name: 'eip155:8453|0xkey', from: 1 };
    const next = await ledger.journalNext(['new', 'refused'], group, (nonce) => ({ ...sent, hash: '0xnext', nonce }));
    expect(await ledger.load('refused')).toMatchObject({
      state: 'sent',
      transactions: [{ hash: '0xrefused' }, next],
    });
    await close();
  });

  test('behavior: blocks that an earlier release indexed count as read', async () => {
    const location = await newLocation();
    const checkpoint = (scope: string, block: number) =>
      `INSERT INTO pool_checkpoints (chain, scope, block, hash) VALUES ('base', '${scope}', ${block}, '0x01')`;
    await run(location, [
      ...databaseOf(migrations.findIndex((step) => step.join(' ').includes('CREATE TABLE pool_ranges'))),
      ...[checkpoint('one', 90), checkpoint('one', 100), checkpoint('two', 7)],
    ]);
    const { database, close } = await openStores(location, () => 1_000);
    const ranges = database.read.selectFrom('pool_ranges').select(['scope', 'from_block', 'to_block']);
    expect(await ranges.orderBy('scope').execute()).toEqual([
      { scope: 'one', from_block: 0, to_block: 100 },
      { scope: 'two', from_block: 0, to_block: 7 },
    ]);
    await close();
  });
});
