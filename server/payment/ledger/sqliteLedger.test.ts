import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { PaymentFacts, PaymentLedger } from './ledgerTypes.ts';
import { openSqlite } from './openSqlite.ts';
import { createSqliteLedger, LedgerOrderError } from './sqliteLedger.ts';

const facts: PaymentFacts = {
  key: 'eip155:8453|0xasset|0xfrom|0xnonce',
  fingerprint: 'f1',
  network: 'eip155:8453',
  payer: '0xFrom',
  paid: 'quote',
  route: 'POST /v1/quote',
  canonicalInput: '{"a":"é"}',
  payload: '{}',
};
const transaction = { hash: '0x01', raw: '0x02', nonce: 7, fromBlock: 2n ** 60n } as const;
const answer = { status: 200, contentType: 'application/json', body: '{ "é":\t1 }\n' };

const folder = mkdtempSync(join(tmpdir(), 'truefill-ledger-'));
let time = 1_000;
let ledger: PaymentLedger;
const open = (file = ':memory:') => {
  ledger = createSqliteLedger(file, () => time);
  return ledger;
};
afterEach(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

test('default: a payment goes from claim to answer, and every fact of it survives a reopening', async () => {
  const file = join(folder, 'payments.db');
  await open(file).claim(facts);
  await ledger.journal(facts.key, transaction);
  await ledger.settled(facts.key, 'RESPONSE');
  await ledger.answered(facts.key, answer);
  await ledger.close();
  expect(await open(file).load(facts.key)).toEqual({
    ...facts,
    state: 'answered',
    transactions: [transaction],
    paymentResponse: 'RESPONSE',
    answer,
    trialGroup: undefined,
  });
});

test('behavior: one claim wins; another fingerprint, and whoever comes while it is held, loses', async () => {
  open();
  expect(await ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'claimed' } });
  expect(await ledger.claim(facts)).toMatchObject({ won: false });
  await ledger.release(facts.key);
  expect(await ledger.claim({ ...facts, fingerprint: 'f2' })).toMatchObject({ won: false, row: { fingerprint: 'f1' } });
  expect(await ledger.claim(facts)).toMatchObject({ won: true });
});

test('behavior: a claim whose holder has not been heard of for two minutes is taken over', async () => {
  open();
  await ledger.claim(facts);
  time += 119_000;
  expect(await ledger.claim(facts)).toMatchObject({ won: false });
  time += 2_000;
  expect(await ledger.claim(facts)).toMatchObject({ won: true });
});

test('behavior: a refusal before anything was signed leaves nothing; after that it leaves the journal', async () => {
  open();
  await ledger.claim(facts);
  await ledger.refused(facts.key, 'poor');
  expect(await ledger.load(facts.key)).toBeUndefined();
  await ledger.claim(facts);
  await ledger.journal(facts.key, transaction);
  await ledger.refused(facts.key, 'reverted');
  expect(await ledger.load(facts.key)).toMatchObject({ state: 'refused', transactions: [transaction] });
  expect(await ledger.claim(facts)).toMatchObject({ won: true });
  await ledger.settled(facts.key, 'RESPONSE');
  expect(await ledger.load(facts.key)).toMatchObject({ state: 'settled' });
});

test('error: LedgerOrderError for every step back', async () => {
  open();
  await expect(ledger.settled(facts.key, 'R')).rejects.toThrow(LedgerOrderError);
  await ledger.claim(facts);
  await expect(ledger.answered(facts.key, answer)).rejects.toThrow(LedgerOrderError);
  await expect(ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
  await ledger.journal(facts.key, transaction);
  await ledger.settled(facts.key, 'R');
  for (const back of [
    () => ledger.journal(facts.key, transaction),
    () => ledger.refused(facts.key, 'x'),
    () => ledger.settled(facts.key, 'other'),
  ]) {
    await expect(back()).rejects.toThrow(LedgerOrderError);
  }
  await ledger.answered(facts.key, answer);
  await expect(ledger.failed(facts.key, 'x')).rejects.toThrow(LedgerOrderError);
  expect(await ledger.load(facts.key)).toMatchObject({
    state: 'answered',
    transactions: [transaction],
    paymentResponse: 'R',
  });
});

test('behavior: the first answer stays', async () => {
  open();
  await ledger.claim(facts);
  await ledger.settled(facts.key, 'R');
  await ledger.answered(facts.key, answer);
  await ledger.answered(facts.key, { ...answer, body: 'another' });
  expect(await ledger.load(facts.key)).toMatchObject({ answer });
  expect(await ledger.claim(facts)).toMatchObject({ won: false, row: { answer } });
});

test('behavior: a failed answer gives the claim back and keeps the credit', async () => {
  open();
  await ledger.claim(facts);
  await ledger.settled(facts.key, 'R');
  await ledger.failed(facts.key, 'engine');
  expect(await ledger.claim(facts)).toMatchObject({ won: true, row: { state: 'settled', paymentResponse: 'R' } });
});

test('behavior: unfinished payments of a dead process are taken over, finished ones are not', async () => {
  const file = join(folder, 'payments.db');
  open(file);
  for (const key of ['claimed', 'sent', 'settled', 'refused']) await ledger.claim({ ...facts, key });
  for (const key of ['sent', 'settled', 'refused']) await ledger.journal(key, transaction);
  await ledger.settled('settled', 'R');
  await ledger.refused('refused', 'x');
  await ledger.close();

  const rows = await open(file).takeOverUnfinished();
  expect(rows.map(({ key, state }) => [key, state])).toEqual([
    ['claimed', 'claimed'],
    ['sent', 'sent'],
  ]);
  expect(await ledger.claim({ ...facts, key: 'sent' })).toMatchObject({ won: false });
  expect(await ledger.claim({ ...facts, key: 'settled' })).toMatchObject({ won: true });
});

test('behavior: the file is written through: WAL, synchronous FULL, foreign keys', async () => {
  open();
  const { database, close } = openSqlite(join(folder, 'pragmas.db'));
  expect(database.prepare('PRAGMA journal_mode').all()).toEqual([{ journal_mode: 'wal' }]);
  expect(database.prepare('PRAGMA synchronous').all()).toEqual([{ synchronous: 2 }]);
  expect(database.prepare('PRAGMA foreign_keys').all()).toEqual([{ foreign_keys: 1 }]);
  close();
});

const trial = { key: facts.key, group: 'pretrade', wallet: '0xfrom', paymentResponse: 'FREE' };

test('default: a free call is taken once per wallet and group, and stays taken when answered', async () => {
  const file = join(folder, 'trials.db');
  await open(file).claim(facts);
  expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
  expect(await ledger.claimTrial(trial)).toBe(true);
  expect(await ledger.load(facts.key)).toMatchObject({
    state: 'settled',
    paymentResponse: 'FREE',
    trialGroup: 'pretrade',
  });

  const second = { ...facts, key: 'second' };
  await ledger.claim(second);
  expect(await ledger.claimTrial({ ...trial, key: 'second' })).toBe(false);
  expect(await ledger.load('second')).toMatchObject({ state: 'claimed', trialGroup: undefined });
  expect(await ledger.claimTrial({ ...trial, key: 'second', group: 'quote' })).toBe(true);

  await ledger.answered(facts.key, answer);
  await ledger.close();
  await open(file).takeOverUnfinished();
  expect(await ledger.load(facts.key)).toMatchObject({ state: 'answered', answer });
  expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(true);
  // The one in the other group died unanswered.
  expect(await ledger.hasTrial('quote', '0xfrom')).toBe(false);
  expect(await ledger.load('second')).toBeUndefined();
});

test('behavior: a free call that failed is forgotten, with its row; a paid one keeps its credit', async () => {
  await open().claim(facts);
  await ledger.claimTrial(trial);
  await ledger.failed(facts.key, 'engine');
  expect(await ledger.load(facts.key)).toBeUndefined();
  expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);

  await ledger.claim(facts);
  await ledger.settled(facts.key, 'RESPONSE');
  await ledger.failed(facts.key, 'engine');
  expect(await ledger.load(facts.key)).toMatchObject({ state: 'settled' });
});

test('error: LedgerOrderError: a payment that was sent to the chain is no free call, and takes none', async () => {
  await open().claim(facts);
  await ledger.journal(facts.key, transaction);
  await expect(ledger.claimTrial(trial)).rejects.toBeInstanceOf(LedgerOrderError);
  expect(await ledger.hasTrial('pretrade', '0xfrom')).toBe(false);
});
