import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../sandbox/index.ts';
import type { PaymentFacts } from '../../server/payments/index.ts';
import { type DatabaseLocation, openStores, type Stores } from '../../server/storage/index.ts';

// npm run bench:stores: measures durable payment steps per second, sequential and concurrent, on both databases.

const answer = { status: 200, contentType: 'application/json', body: JSON.stringify({ filler: 'x'.repeat(2_000) }) };
const transaction = { hash: `0x${'11'.repeat(32)}`, raw: `0x${'22'.repeat(300)}`, nonce: 1, fromBlock: 1n };
const factsOf = (key: string): PaymentFacts => ({
  key,
  fingerprint: key,
  network: 'eip155:8453',
  payer: '0x1111111111111111111111111111111111111111',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{"tokenIn":"0x4200000000000000000000000000000000000006"}',
  payload: JSON.stringify({ filler: 'y'.repeat(900) }),
});

/** Runs `work` `count` times with a fixed concurrency. @returns runs per second */
async function measure(count: number, concurrency: number, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return Math.round((count / (performance.now() - startedAt)) * 1_000);
}

async function bench(name: string, database: DatabaseLocation): Promise<void> {
  const stores: Stores = await openStores(database, Date.now);
  const { ledger } = stores;
  const upsert = () => ledger.claim(factsOf(randomUUID()));
  const wholePayment = async () => {
    const facts = factsOf(randomUUID());
    await ledger.load(facts.key);
    await ledger.claim(facts);
    await ledger.journal(facts.key, transaction);
    await ledger.settled(facts.key, 'R'.repeat(300));
    await ledger.answered(facts.key, answer);
  };
  const known = factsOf(randomUUID());
  await ledger.claim(known);
  await ledger.journal(known.key, transaction);
  await ledger.settled(known.key, 'R');
  await ledger.answered(known.key, answer);

  await measure(500, 50, upsert);
  console.log(`${name}`);
  console.log(`  durable upserts per second, sequential     ${await measure(1_000, 1, upsert)}`);
  console.log(`  durable upserts per second, 64 concurrent  ${await measure(10_000, 64, upsert)}`);
  console.log(`  payments per second (4 steps), 64          ${await measure(3_000, 64, wholePayment)}`);
  console.log(
    `  replay look-ups per second, 64 concurrent  ${await measure(10_000, 64, () => ledger.load(known.key))}`,
  );
  await stores.close();
}

const folder = await mkdtemp(join(tmpdir(), 'truefill-bench-'));
await bench('SQLite (WAL, synchronous FULL)', { file: join(folder, 'truefill.sqlite') });
await rm(folder, { recursive: true, force: true });

const postgres = await startPostgres();
await bench('PostgreSQL (fsync and synchronous_commit on)', { url: postgres.url });
await postgres.close();
