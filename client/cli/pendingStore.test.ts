import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describePayment, idForm, PendingStore, paymentId, StateFolderError, stateFolder } from './pendingStore.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'truefill-store-'));
  folder = join(root, 'state', 'truefill', 'pending');
});
afterEach(() => rmSync(root, { recursive: true }));

const url = 'http://127.0.0.1:4020';
const call = (paymentSignature: string) => ({ path: '/v1/quote', body: '{"sizeIn":"1"}', paymentSignature });
const hour = 3_600_000;

test('default: stores a payment in one file that only the user can read', () => {
  const store = new PendingStore(folder, () => 5);
  store.add(url, call('signed'));
  const id = paymentId('signed');
  expect(id).toMatch(idForm);
  expect(readdirSync(folder)).toEqual([`${id}.json`]);
  expect(statSync(join(folder, `${id}.json`)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const stored = { ...call('signed'), id, url, signedAtMs: 5, isDenied: false };
  expect(JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))).toEqual(stored);
  expect(store.list()).toEqual([stored]);
});

test('default: lists the latest payment first, and none that was removed', () => {
  let now = 1;
  const store = new PendingStore(folder, () => now);
  for (const signature of ['one', 'two', 'three']) {
    store.add(url, call(signature));
    now += 1;
  }
  expect(store.list().map(({ paymentSignature }) => paymentSignature)).toEqual(['three', 'two', 'one']);
  store.remove(call('two'));
  store.remove(call('two'));
  expect(new PendingStore(folder, () => now).list().map(({ id }) => id)).toEqual([
    paymentId('three'),
    paymentId('one'),
  ]);
});

test('default: nothing is pending without a folder', () => {
  expect(new PendingStore(folder).list()).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test('behavior: deletes a payment after 48 hours, one that was not charged after an hour', () => {
  let now = 0;
  const store = new PendingStore(folder, () => now);
  store.add(url, call('unknown'));
  store.add(url, call('denied'));
  store.deny(call('denied'));
  store.deny(call('never stored'));
  expect(
    store
      .list()
      .map(({ isDenied }) => isDenied)
      .sort(),
  ).toEqual([false, true]);
  now = hour;
  expect(store.list()).toHaveLength(2);
  now = hour + 1;
  expect(store.list().map(({ paymentSignature }) => paymentSignature)).toEqual(['unknown']);
  now = 48 * hour;
  expect(store.list()).toHaveLength(1);
  now = 48 * hour + 1;
  expect(store.list()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('behavior: ignores files that are no payment, and deletes the temporary file of a stopped process', () => {
  mkdirSync(folder, { recursive: true });
  const id = paymentId('signed');
  const whole = { ...call('signed'), id, url, signedAtMs: 1, isDenied: false };
  const contents = [
    '{',
    '[]',
    '{}',
    ...Object.keys(whole).map((member) => JSON.stringify({ ...whole, [member]: null })),
  ];
  for (const [index, content] of contents.entries()) writeFileSync(join(folder, `0000000${index}.json`), content);
  writeFileSync(join(folder, '0000aaaa.json'), JSON.stringify(whole));
  writeFileSync(join(folder, 'notes.txt'), '');
  writeFileSync(join(folder, 'old.1.tmp'), '');
  writeFileSync(join(folder, 'new.2.tmp'), '');
  utimesSync(join(folder, 'old.1.tmp'), 0, 0);
  expect(new PendingStore(folder).list()).toEqual([]);
  expect(existsSync(join(folder, 'old.1.tmp'))).toBe(false);
  expect(existsSync(join(folder, 'new.2.tmp'))).toBe(true);
});

test('error: StateFolderError with the folder when the payment cannot be stored', () => {
  writeFileSync(join(root, 'state'), 'a file');
  const store = new PendingStore(folder);
  expect(() => store.add(url, call('signed'))).toThrow(StateFolderError);
  expect(() => store.add(url, call('signed'))).toThrow(
    /cannot be stored in .*pending \(ENOTDIR\), so it was not sent\. Nothing was charged\. Set XDG_STATE_HOME/,
  );
});

test.skipIf(process.getuid?.() === 0)('behavior: an answer is not lost when its file cannot be removed', () => {
  const store = new PendingStore(folder, () => 1);
  store.add(url, call('signed'));
  chmodSync(folder, 0o500);
  expect(() => store.remove(call('signed'))).not.toThrow();
  chmodSync(folder, 0o700);
});

test('default: the folder follows the XDG specification', () => {
  expect(stateFolder({ XDG_STATE_HOME: '/x', HOME: '/h' })).toBe('/x/truefill/pending');
  expect(stateFolder({ XDG_STATE_HOME: '', HOME: '/h' })).toBe('/h/.local/state/truefill/pending');
  expect(stateFolder({ USERPROFILE: '/u' })).toBe('/u/.local/state/truefill/pending');
});

test('default: a payment is described by its amount and network', () => {
  const accepted = { amount: '20000', network: 'eip155:8453' };
  const paymentSignature = Buffer.from(JSON.stringify({ accepted })).toString('base64');
  expect(describePayment(call(paymentSignature))).toBe('0.02 USD on eip155:8453');
});
