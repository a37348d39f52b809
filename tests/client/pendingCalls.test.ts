import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { PendingStore } from '../../client/cli/pendingStore.ts';
import { run } from '../../client/cli/run.ts';
import {
  paid,
  type ScriptedService,
  type Step,
  startRespondingService,
  startScriptedService,
  unpaid,
} from './scriptedService.ts';

// The command line keeps each signed payment in a file until its answer arrives.

const weth = '0x4200000000000000000000000000000000000006';
const key = { TRUEFILL_KEY: `0x${'11'.repeat(32)}` };
const check = { verdict: 'avoid', token: weth };
const quick = { 'retry-after': '0' };
const lostAnswers: Step[] = Array(6).fill({ status: 503, headers: quick, body: {} });

let state: string;
let server: ScriptedService;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'truefill-pending-'));
});
afterEach(async () => {
  await server?.close();
  await rm(state, { recursive: true });
});

const folder = () => join(state, 'truefill', 'pending');
const files = () => readdir(folder()).catch(() => []);

async function runCli(args: string[], env: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const exit = await run(args, {
    env: { XDG_STATE_HOME: state, ...env },
    stdin: Readable.from(['']),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exit, out, err };
}

/** Words of the library and of the protocol, and anything of a signature. */
const foreign = /pending`|resume\(|PAYMENT-SIGNATURE|[{}]|[A-Za-z0-9+/]{60}/;

test('error: exits 75 with a command that fetches the answer; it needs no wallet, URL or operands', async () => {
  server = await startScriptedService([unpaid('50000'), ...lostAnswers, paid(check)]);
  const line = ['check', weth, '--url', server.url];
  const { exit, out, err } = await runCli(line, key);
  expect({ exit, out }).toEqual({ exit: exitCodes.pending, out: '' });
  const messages = err.split('\n').filter((text) => !/retrying|signing|waiting/.test(text));
  expect(messages).toEqual([
    'A payment of 0.05 USD on eip155:8453 was sent, but no answer arrived (HTTP 503, UNKNOWN). It may have been charged.',
    'Do not pay again. This sends the same payment, which is charged at most once:',
    expect.stringMatching(/^ {2}truefill check --resume [0-9a-f]{8}$/),
    '',
  ]);
  expect(err).not.toMatch(foreign);

  const list = await runCli(['pending']);
  const id = /--resume ([0-9a-f]{8})/.exec(err)?.[1] as string;
  expect(list.out).toBe(`${id}  check  0.05 USD on eip155:8453  ${server.url}  0 min ago  may have been charged\n`);
  const resumed = await runCli(['check', '--resume', id, '--json']);
  expect(resumed.exit).toBe(exitCodes.avoid);
  expect(JSON.parse(resumed.out)).toEqual(check);
  expect(new Set(server.signatures.slice(1)).size).toBe(1);
  expect(await files()).toEqual([]);
  expect((await runCli(['check', '--resume'])).err).toContain('No payment is pending for this check.');
});

test('behavior: --resume without an id takes the latest payment of the command and the request', async () => {
  const answers: Step[] = [];
  server = await startRespondingService(({ signature }) =>
    signature === undefined ? unpaid() : (answers.shift() ?? { status: 503, headers: quick, body: {} }),
  );
  const line = (size: string) => ['quote', 'WETH', 'USDC', '--size', size, '--url', server.url];
  for (const size of ['1', '2']) expect((await runCli(line(size), key)).exit).toBe(exitCodes.pending);
  expect(await files()).toHaveLength(2);

  const other = await runCli([...line('3'), '--resume']);
  expect(other.exit).toBe(exitCodes.usage);
  expect(other.err).toContain('No payment is pending for this quote.');
  const foreignService = await runCli(['quote', '--resume', '--url', 'http://127.0.0.1:1']);
  expect(foreignService.exit).toBe(exitCodes.usage);

  answers.push({ status: 200, raw: '{"flags":[]}' });
  await runCli([...line('1'), '--resume', '--json']);
  expect(server.bodies.at(-1)).toContain('"sizeIn":"1"');
  answers.push({ status: 200, raw: '{"flags":[]}' });
  await runCli(['quote', '--resume', '--json']);
  expect(server.bodies.at(-1)).toContain('"sizeIn":"2"');
  expect(await files()).toEqual([]);
});

test('error: --resume of another command names the right one', async () => {
  server = await startScriptedService([unpaid(), ...lostAnswers]);
  const { err } = await runCli(['check', weth, '--url', server.url], key);
  const id = /--resume (\w+)/.exec(err)?.[1] as string;
  const { exit, err: message } = await runCli(['quote', '--resume', id]);
  expect(exit).toBe(exitCodes.usage);
  expect(message).toContain(`The payment ${id} is for another call. Run: truefill check --resume ${id}.`);
});

test('error: a payment that the service did not charge is not called sent and pending', async () => {
  const body = {
    code: 'UPSTREAM_UNAVAILABLE',
    detail: 'Payments on eip155:8453 cannot be settled right now.',
    charged: false,
  };
  server = await startRespondingService(({ signature }) =>
    signature === undefined ? unpaid() : { status: 503, headers: quick, body },
  );
  const { exit, err } = await runCli(['check', weth, '--url', server.url], key);
  expect(exit).toBe(exitCodes.unavailable);
  expect(err).toContain('UPSTREAM_UNAVAILABLE: Payments on eip155:8453 cannot be settled right now.');
  expect(err).toContain('was sent; the service reports that it charged nothing.');
  expect(err).not.toContain('Do not pay again');
  expect((await runCli(['pending'])).out).toContain('not charged, as the service reports');
});

test('error: a denied payment whose second outcome is unknown may have been charged', async () => {
  const denied: Step = { status: 503, headers: quick, body: { code: 'X', detail: 'X.', charged: false } };
  let reply: Step = denied;
  let onRequest: (() => Promise<void>) | undefined;
  server = await startRespondingService(async ({ signature }) => {
    if (signature === undefined) return unpaid();
    await onRequest?.();
    return reply;
  });
  await runCli(['check', weth, '--url', server.url], key);
  expect((await runCli(['pending'])).out).toContain('not charged, as the service reports');
  const [open] = await files().then((names) => names.map((name) => name.replace('.denied', '')));
  reply = { ...denied, body: {} };
  let during: string[] = [];
  onRequest = async () => {
    during = await files();
    // Another process, whose request was refused earlier, notes that.
    const denial = `${open}`.replace('.json', '.denied.json');
    await rename(join(folder(), `${open}`), join(folder(), denial)).catch(() => undefined);
    onRequest = undefined;
  };
  expect((await runCli(['check', '--resume'])).exit).toBe(exitCodes.pending);
  // A process that is killed during the request leaves an open payment.
  expect(during).toEqual([open]);
  expect((await runCli(['pending'])).out).toContain('may have been charged');
  reply = denied;
  expect((await runCli(['check', '--resume'])).exit).toBe(exitCodes.unavailable);
  expect((await runCli(['pending'])).out).toContain('not charged, as the service reports');
});

test('error: pending and --resume name a file that cannot be read, and use the others', async () => {
  server = await startScriptedService([unpaid(), ...lostAnswers, paid(check)]);
  await runCli(['check', weth, '--url', server.url], key);
  await writeFile(join(folder(), '00000000.json'), '{');
  await mkdir(join(folder(), '11111111.json'));
  const { exit, out, err } = await runCli(['pending']);
  expect(exit).toBe(exitCodes.failed);
  expect(out.trimEnd().split('\n')).toEqual([expect.stringContaining('may have been charged')]);
  for (const [file, reason] of [
    ['00000000.json', 'not a stored payment'],
    ['11111111.json', 'not a regular file'],
  ] as const)
    expect(err).toContain(
      `Cannot read ${join(folder(), file)} (${reason}): it may be a payment that was charged and whose answer you can still get. Make it readable for you (chmod 600), and keep it until you have the answer.`,
    );
  expect((await runCli(['check', '--resume', '--json'])).exit).toBe(exitCodes.avoid);
  const missing = await runCli(['check', '--resume', '11111111']);
  expect(missing.exit).toBe(exitCodes.usage);
  expect(missing.err).toContain('11111111.json (not a regular file)');
  expect((await runCli(['pending'])).out).toBe('');
});

test('error: a charge without an answer is stated as a charge', async () => {
  const body = { code: 'UPSTREAM_UNAVAILABLE', detail: 'You were charged.', charged: true };
  server = await startRespondingService(({ signature }) =>
    signature === undefined ? unpaid() : { status: 503, headers: quick, body },
  );
  const { exit, err } = await runCli(['check', weth, '--url', server.url], key);
  expect(exit).toBe(exitCodes.pending);
  expect(err).toContain('The service charged the payment of 0.02 USD on eip155:8453, but its answer has not arrived');
});

test('error: sends no payment that cannot be stored', async () => {
  server = await startScriptedService([unpaid(), paid(check)]);
  const { exit, err } = await runCli(['check', weth, '--url', server.url], { ...key, XDG_STATE_HOME: '/dev/null' });
  expect(exit).toBe(exitCodes.failed);
  expect(err).toMatch(
    /cannot be stored in \/dev\/null\/truefill\/pending \(ENOTDIR\), so it was not sent\. Nothing was charged/,
  );
  expect(server.signatures).toEqual([undefined]);
});

test.each([
  ['answered', paid(check)],
  ['refused', { status: 402, body: { code: 'PAYMENT_REQUIRED', detail: 'Too poor.', charged: false } }],
])('behavior: a payment that was %s leaves no file', async (_case, step) => {
  let stored: string[] = [];
  server = await startRespondingService(async ({ signature }) => {
    if (signature === undefined) return unpaid();
    stored = await files();
    return step;
  });
  await runCli(['check', weth, '--json', '--url', server.url], key);
  expect(stored).toHaveLength(1);
  expect(await files()).toEqual([]);
});

test('behavior: a process that is killed before the answer leaves the payment for --resume', async () => {
  let child: ChildProcess | undefined;
  let isKilled = false;
  server = await startRespondingService(async ({ signature }) => {
    if (signature === undefined) return unpaid();
    if (isKilled) return paid(check);
    isKilled = true;
    child?.kill('SIGKILL');
    return 'hang up';
  });
  const main = join(import.meta.dirname, '../../client/cli/main.ts');
  const line = ['--import', 'tsx', main, 'check', weth, '--url', server.url];
  child = spawn(process.execPath, line, { env: { ...process.env, ...key, XDG_STATE_HOME: state }, stdio: 'ignore' });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');

  const [file = ''] = await files();
  expect((await stat(join(folder(), file))).mode & 0o777).toBe(0o600);
  const sent = server.signatures.at(-1);
  expect(JSON.parse(await readFile(join(folder(), file), 'utf8'))).toMatchObject({ paymentSignature: sent });
  const { exit } = await runCli(['check', '--resume', '--json']);
  expect(exit).toBe(exitCodes.avoid);
  expect(server.signatures.at(-1)).toBe(sent);
  expect(await files()).toEqual([]);
});

/** Stores 200 payments, denies every second one, removes every third one, and lists all of them all the time. */
const storing = `
  import { PendingStore } from ${JSON.stringify(join(import.meta.dirname, '../../client/cli/pendingStore.ts'))};
  const [folder, name] = process.argv.slice(1);
  const store = new PendingStore(folder);
  for (let index = 0; index < 200; index += 1) {
    const call = { path: '/v1/quote', body: '{}', paymentSignature: name + index };
    store.add('http://127.0.0.1:1', call);
    if (index % 2 === 0) store.deny(call);
    if (store.list().unreadable.length > 0) throw new Error('A file could not be read.');
    if (index % 3 === 0) store.remove(call);
  }
`;

test('behavior: processes that store, deny, list and remove payments at once lose none of the others', async () => {
  const ends = ['a', 'b', 'c'].map(async (name) => {
    const line = ['--import', 'tsx', '--input-type=module', '-e', storing, folder(), name];
    const child = spawn(process.execPath, line, { stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const [exit] = await once(child, 'close');
    return { exit, err };
  });
  expect(await Promise.all(ends)).toEqual(Array(3).fill({ exit: 0, err: '' }));
  const { payments, unreadable } = new PendingStore(folder()).list();
  expect(unreadable).toEqual([]);
  const expected = ['a', 'b', 'c'].flatMap((name) =>
    [...Array(200).keys()].filter((index) => index % 3 !== 0).map((index) => [name + index, index % 2 === 0]),
  );
  const found = payments.map(({ paymentSignature, isDenied }) => [paymentSignature, isDenied]);
  expect(new Map(found as [string, boolean][])).toEqual(new Map(expected as [string, boolean][]));
  expect(await files()).toHaveLength(expected.length);
});

test('security: several processes keep their own payments; each spends at most its own limit', async () => {
  server = await startRespondingService(({ signature }) =>
    signature === undefined
      ? unpaid()
      : { status: 503, headers: quick, body: { code: 'X', detail: 'Nothing was charged.', charged: false } },
  );
  const line = ['check', weth, '--url', server.url, '--max-usd', '0.03'];
  await Promise.all(Array.from({ length: 5 }, () => runCli(line, key)));
  expect(new Set(server.signatures.filter(Boolean)).size).toBe(5);
  expect(await files()).toHaveLength(5);
  await Promise.all(Array.from({ length: 5 }, () => runCli(['check', '--resume'])));
  expect(new Set(server.signatures.filter(Boolean)).size).toBe(5);
});
