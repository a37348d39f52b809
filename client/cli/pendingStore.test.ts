import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describePayment, idForm, PendingStore, paymentId, StateFolderError, stateFolder } from './pendingStore.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'truefill-store-'));
  folder = join(root, 'state', 'truefill', 'pending');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(root, { recursive: true });
});

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
  const stored = { ...call('signed'), id, url, signedAtMs: 5 };
  expect(JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8'))).toEqual(stored);
  expect(store.list()).toEqual({ payments: [{ ...stored, isDenied: false }], unreadable: [] });
});

test('default: lists the latest payment first, and none that was removed', () => {
  let now = 1;
  const store = new PendingStore(folder, () => now);
  for (const signature of ['one', 'two', 'three']) {
    store.add(url, call(signature));
    now += 1;
  }
  expect(store.list().payments.map(({ paymentSignature }) => paymentSignature)).toEqual(['three', 'two', 'one']);
  store.remove(call('two'));
  store.remove(call('two'));
  expect(new PendingStore(folder, () => now).list().payments.map(({ id }) => id)).toEqual([
    paymentId('three'),
    paymentId('one'),
  ]);
});

test('default: nothing is pending without a folder', () => {
  expect(new PendingStore(folder).list()).toEqual({ payments: [], unreadable: [] });
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
      .payments.map(({ isDenied }) => isDenied)
      .sort(),
  ).toEqual([false, true]);
  now = hour;
  expect(store.list().payments).toHaveLength(2);
  now = hour + 1;
  expect(store.list().payments.map(({ paymentSignature }) => paymentSignature)).toEqual(['unknown']);
  now = 48 * hour;
  expect(store.list().payments).toHaveLength(1);
  now = 48 * hour + 1;
  expect(store.list().payments).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('error: names each file that cannot be read or is no payment, and lists the others', () => {
  const store = new PendingStore(folder, () => 1);
  store.add(url, call('other'));
  const id = paymentId('signed');
  const whole = { ...call('signed'), id, url, signedAtMs: 1 };
  const contents = [
    '{',
    '[]',
    '{}',
    JSON.stringify(whole),
    ...Object.keys(whole).map((member) => JSON.stringify({ ...whole, [member]: null })),
  ];
  for (const [index, content] of contents.entries()) writeFileSync(join(folder, `0000000${index}.json`), content);
  mkdirSync(join(folder, 'aaaaaaaa.json'));
  symlinkSync('/dev/zero', join(folder, 'bbbbbbbb.json'));
  writeFileSync(join(folder, 'notes.txt'), '');
  const { payments, unreadable } = store.list();
  expect(payments.map(({ paymentSignature }) => paymentSignature)).toEqual(['other']);
  expect(unreadable.toSorted((one, other) => (one.file < other.file ? -1 : 1))).toEqual([
    ...contents.map((_, index) => ({ file: join(folder, `0000000${index}.json`), reason: 'not a stored payment' })),
    { file: join(folder, 'aaaaaaaa.json'), reason: 'not a regular file' },
    { file: join(folder, 'bbbbbbbb.json'), reason: 'not a regular file' },
  ]);
});

test.skipIf(process.getuid?.() === 0)('error: names a file that the user may not read', () => {
  const store = new PendingStore(folder, () => 1);
  store.add(url, call('signed'));
  const file = join(folder, `${paymentId('signed')}.json`);
  chmodSync(file, 0o000);
  expect(store.list()).toEqual({ payments: [], unreadable: [{ file, reason: 'EACCES' }] });
});

test('behavior: deletes the temporary file of a stopped process only', () => {
  mkdirSync(join(folder, 'folder.3.tmp'), { recursive: true });
  for (const name of ['old.1.tmp', 'new.2.tmp', 'old.txt']) writeFileSync(join(folder, name), '');
  for (const name of ['folder.3.tmp', 'old.1.tmp', 'old.txt']) utimesSync(join(folder, name), 0, 0);
  expect(new PendingStore(folder).list()).toEqual({ payments: [], unreadable: [] });
  expect(readdirSync(folder).sort()).toEqual(['folder.3.tmp', 'new.2.tmp', 'old.txt']);
});

test('security: closes an existing folder and an existing file to other users', () => {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o775);
  const file = join(folder, `${paymentId('signed')}.json`);
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  new PendingStore(folder).add(url, call('signed'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('security: follows no link at the name of its temporary file', () => {
  const name = '00000000-0000-4000-8000-000000000000';
  vi.spyOn(crypto, 'randomUUID').mockReturnValue(name);
  mkdirSync(folder, { recursive: true });
  const target = join(root, 'target');
  writeFileSync(target, 'before');
  symlinkSync(target, join(folder, `${paymentId('signed')}.${name}.tmp`));
  const store = new PendingStore(folder);
  expect(() => store.add(url, call('signed'))).toThrow(/\(EEXIST\), so it was not sent/);
  expect(readFileSync(target, 'utf8')).toBe('before');
  expect(store.list().payments).toEqual([]);
});

test('error: a payment that cannot be stored leaves no temporary file', () => {
  const file = join(folder, `${paymentId('signed')}.json`);
  mkdirSync(join(file, 'inside'), { recursive: true });
  expect(() => new PendingStore(folder).add(url, call('signed'))).toThrow(StateFolderError);
  expect(readdirSync(folder)).toEqual([`${paymentId('signed')}.json`]);
});

test('behavior: a payment that another process has finished is not restored', () => {
  const [one, other] = [new PendingStore(folder, () => 1), new PendingStore(folder, () => 1)];
  one.add(url, call('signed'));
  other.remove(call('signed'));
  one.deny(call('signed'));
  one.reopen(call('signed'));
  expect(readdirSync(folder)).toEqual([]);
  one.add(url, call('signed'));
  one.deny(call('signed'));
  other.remove(call('signed'));
  expect(readdirSync(folder)).toEqual([]);
});

test('behavior: a denied payment that is sent again may have been charged', () => {
  const store = new PendingStore(folder, () => 1);
  store.add(url, call('signed'));
  store.deny(call('signed'));
  expect(store.list().payments).toMatchObject([{ isDenied: true, paymentSignature: 'signed' }]);
  store.reopen(call('signed'));
  expect(store.list().payments).toMatchObject([{ isDenied: false, paymentSignature: 'signed' }]);
});

test('error: StateFolderError with the folder when the payment cannot be stored', () => {
  writeFileSync(join(root, 'state'), 'a file');
  const store = new PendingStore(folder);
  expect(() => store.add(url, call('signed'))).toThrow(StateFolderError);
  expect(() => store.add(url, call('signed'))).toThrow(
    /cannot be stored in .*pending \(ENOTDIR\), so it was not sent\. Nothing was charged\. Set XDG_STATE_HOME/,
  );
  expect(() => store.list()).toThrow(StateFolderError);
  expect(() => store.list()).toThrow(/cannot be listed \(ENOTDIR\)\. Nothing was sent\./);
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
