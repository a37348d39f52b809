import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LedgerOrderError, type PaymentLedger, type PaymentState, transitions } from '../../server/payments/index.ts';
import { openStores, type Stores } from '../../server/storage/index.ts';
import { type DatabaseMaker, databaseKinds, openDatabaseMaker } from './bothDatabases.ts';

// Tries every step from every state and compares the result with the table of transitions.

const answer = { status: 200, contentType: 'application/json', body: '{}' };
const transaction = { hash: '0xhash', raw: '0xraw', nonce: 1, account: 'eip155:8453|0xkey', fromBlock: 1n };
const states: PaymentState[] = ['claimed', 'sent', 'refused', 'settled', 'answered'];

type Step = (ledger: PaymentLedger, key: string) => Promise<unknown>;

const steps: Record<keyof typeof transitions, Step> = {
  journal: (ledger, key) => ledger.journal(key, transaction),
  settled: (ledger, key) => ledger.settled(key, 'RESPONSE'),
  claimTrial: (ledger, key) => ledger.claimTrial({ key, group: 'pretrade', wallet: key, paymentResponse: 'FREE' }),
  refused: (ledger, key) => ledger.refused(key, 'reason'),
  forget: (ledger, key) => ledger.forget(key),
  foundPaid: (ledger, key) => ledger.foundPaid(key, 'RESPONSE'),
  answered: (ledger, key) => ledger.answered(key, answer),
  failed: (ledger, key) => ledger.failed(key, 'reason'),
  giveBackTrial: (ledger, key) => ledger.failed(key, 'reason'),
};

/** Moves a payment to a state. This replica then owns its lease, except in states without a lease owner. */
async function moveTo(ledger: PaymentLedger, key: string, state: PaymentState, step: string): Promise<void> {
  await ledger.claim(factsOf(key));
  if (state === 'claimed') return;
  if (state === 'sent') return ledger.journal(key, transaction);
  if (state === 'refused') {
    await ledger.refused(key, 'reason');
    // Findings on chain also update payments that no client retries.
    if (step !== 'foundPaid') await ledger.claim(factsOf(key));
    return;
  }
  if (step === 'giveBackTrial') await steps.claimTrial(ledger, key);
  else await ledger.settled(key, 'RESPONSE');
  if (state === 'answered') await ledger.answered(key, answer);
}

const factsOf = (key: string) => ({
  key,
  fingerprint: 'f',
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{}',
  payload: '{}',
});

describe.each(databaseKinds)('%s', (kind) => {
  let maker: DatabaseMaker;
  let stores: Stores;
  beforeAll(async () => {
    maker = await openDatabaseMaker(kind);
    stores = await openStores(await maker.newLocation(), Date.now);
  });
  afterAll(async () => {
    await stores?.close();
    await maker?.close();
  });

  const names = Object.keys(transitions) as (keyof typeof transitions)[];
  test.each(names.flatMap((step) => states.map((state) => ({ step, state }))))(
    'allows $step from $state if and only if the table does',
    async ({ step, state }) => {
      const { ledger } = stores;
      const key = `${step} from ${state}`;
      await moveTo(ledger, key, state, step);
      const { from, to } = transitions[step];
      const isAllowed = (from as readonly PaymentState[]).includes(state);
      const outcome = await steps[step](ledger, key).catch((error: unknown) => error);
      const now = (await ledger.load(key))?.state ?? 'none';
      if (isAllowed) {
        expect(outcome).not.toBeInstanceOf(Error);
        expect(now).toBe(to);
      } else {
        if (step !== 'foundPaid') expect(outcome).toBeInstanceOf(LedgerOrderError);
        expect(now).toBe(state);
      }
    },
  );
});

test('docs/design/payments.md contains the table of transitions', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/design/payments.md'), 'utf8');
  const rows = Object.entries(transitions).map(
    ([name, { from, to, byHolder }]) =>
      `| ${name} | ${from.join(', ')} | ${to} | ${byHolder ? 'lease owner' : 'any replica'} |`,
  );
  const written = text.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
  for (const row of rows) expect(written).toContain(row);
});
