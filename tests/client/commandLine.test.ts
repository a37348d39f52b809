import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../client/cli/exitCodes.ts';
import { run } from '../../client/cli/run.ts';
import { sanitize, sanitizeJson } from '../../client/cli/sanitize.ts';
import { encode, offer } from './scriptedService.ts';
import { type StartedSandbox, startedSandbox } from './startedSandbox.ts';

// The command line against the whole sandbox: its output and its exit codes.

let service: StartedSandbox;
let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'truefill-state-'));
  service = await startedSandbox();
});
afterAll(async () => {
  await service?.close();
  await rm(state, { recursive: true });
});

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

async function runCli(args: string[], env: Record<string, string> = {}, stdin = '') {
  let out = '';
  let err = '';
  const exit = await run(args, {
    env: { TRUEFILL_URL: service.url, XDG_STATE_HOME: state, ...env },
    stdin: Readable.from([stdin]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exit, out, err };
}

test('default: truefill quote buys a quote and shows route, price and cost', async () => {
  const { exit, out, err } = await runCli(['quote', weth, usdc, '--size', '2.5', '--sandbox']);
  expect(exit).toBe(exitCodes.answered);
  expect(out).toMatch(/^2\.5 WETH → [\d,]+\.\d{1,6} USDC {2}on base, block \d+/);
  expect(out).toMatch(/route\n {2}\S+ \(/);
  expect(out).toContain(`WETH  ${weth}`);
  expect(err).toMatch(/0\.02 USD on eip155:8453/);
  expect(err).toMatch(/paid 0\.02 USD on eip155:8453, transaction 0x[0-9a-f]{64}/);
  expect((await runCli(['pending'])).out).toBe('No payment is pending.\n');
});

test('default: quote accepts symbols and the native coin; --json prints exact amounts', async () => {
  const bySymbol = await runCli(['quote', 'weth', 'USDC', '--size', '0.123456789', '--json', '--sandbox']);
  expect(bySymbol.exit).toBe(exitCodes.answered);
  const quote = JSON.parse(bySymbol.out);
  expect(quote).toMatchObject({ tokenIn: weth, tokenOut: usdc, amountIn: '123456789000000000' });
  const native = await runCli(['quote', 'ETH', 'USDC', '--size', '1', '--json', '--sandbox']);
  expect(JSON.parse(native.out).flags).toContainEqual(expect.objectContaining({ code: 'NATIVE_AS_WRAPPED' }));
});

test('default: --json prints only the answer to stdout', async () => {
  const { exit, out } = await runCli(['quote', weth, usdc, '--usd', '100', '--json', '--sandbox']);
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ chain: 'base', tokenIn: weth, decimals: { in: 18, out: 6 } });
});

test('default: truefill quote pays on Solana with --pay-on', async () => {
  const network = service.sandbox.solana?.network ?? '';
  const { exit, err } = await runCli(['quote', weth, usdc, '--size', '1', '--sandbox', '--pay-on', network]);
  expect(exit).toBe(0);
  expect(err).toContain(`paid 0.02 USD on ${network}`);
});

test('behavior: the first check is free; clear exits 0, avoid exits 2', async () => {
  const clear = await runCli(['check', weth, '--sandbox']);
  expect(clear.exit).toBe(exitCodes.answered);
  expect(clear.out).toMatch(/^CLEAR /);
  expect(clear.err).toContain('free: first call of this wallet');

  const trap = service.tokenThat('tradingEnabled() returns false');
  const avoid = await runCli(['check', trap, '--sandbox']);
  expect(avoid.exit).toBe(exitCodes.avoid);
  expect(avoid.out).toMatch(/^AVOID {2}\(TRADING_DISABLED\)/);
  expect(avoid.out).toContain('tradingEnabled()');
  expect(avoid.err).toContain('paid 0.05 USD');
});

test('behavior: a check that is clear exits 5 and begins with a warning if a sale loses all of the money', async () => {
  const { exit, out } = await runCli(['check', service.tokenThat('sales are taxed at 100 %'), '--sandbox']);
  expect(exit).toBe(exitCodes.notTradable);
  expect(out).toMatch(/^An ordinary wallet (loses 100 % of a sale|could not sell this token)\.\nCLEAR /);
});

test('behavior: no route exits 3', async () => {
  const noDecimals = service.tokenThat('decimals() reverts');
  const { exit, out } = await runCli(['quote', noDecimals, usdc, '--size', '1', '--sandbox']);
  expect(exit).toBe(exitCodes.noUsableAnswer);
  expect(out).toContain('No venue was tried: an address of this request is not a token');
});

test('error: an address without code exits 65, uncharged', async () => {
  const empty = `0x${'77'.repeat(20)}`;
  const { exit, out, err } = await runCli(['quote', empty, usdc, '--size', '1', '--sandbox']);
  expect({ exit, out }).toEqual({ exit: exitCodes.refused, out: '' });
  expect(err).toContain(`tokenIn ${empty} has no code on base at block`);
  expect(err).toContain('This request charged nothing');
});

test('default: truefill sign prints the header that pays for the request of a 402', async () => {
  const url = `${service.url}/v1/quote`;
  const body = JSON.stringify({ tokenIn: weth, tokenOut: usdc, sizeIn: '0.75' });
  const headers = { 'content-type': 'application/json' };
  const header = (await fetch(url, { method: 'POST', headers, body })).headers.get('payment-required') ?? '';
  const printed = `HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\nPAYMENT-REQUIRED: ${header}\r\n\r\n{}`;
  const file = join(await mkdtemp(join(tmpdir(), 'truefill-402-')), '402.txt');
  await writeFile(file, printed);
  const decoded = Buffer.from(header, 'base64').toString();
  for (const [operands, stdin] of [
    [[], printed],
    [[], header],
    [[header], ''],
    [[file], ''],
    [[decoded], ''],
  ] as const) {
    const { exit, out } = await runCli(['sign', ...operands, '--sandbox'], {}, stdin);
    expect(exit).toBe(exitCodes.answered);
    const signed = { ...headers, 'payment-signature': out.trim() };
    const answer = await fetch(url, { method: 'POST', headers: signed, body });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ amountIn: '750000000000000000' });
  }
  await rm(dirname(file), { recursive: true });
});

test('behavior: truefill sign --sandbox takes the demo wallet of the service that the 402 names', async () => {
  const body = JSON.stringify({ tokenIn: weth, tokenOut: usdc, sizeIn: '0.5' });
  const asked = await fetch(`${service.url}/v1/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const header = asked.headers.get('payment-required') ?? '';
  const elsewhere = { TRUEFILL_URL: 'http://127.0.0.1:1' };
  expect((await runCli(['sign', header, '--sandbox'], elsewhere)).exit).toBe(exitCodes.answered);
  const refused = await runCli(['sign', header, '--sandbox', '--url', 'http://127.0.0.1:1']);
  expect(refused.exit).toBe(exitCodes.unavailable);
});

test('default: truefill payments lists each paid call once, and their total', async () => {
  const own = { XDG_STATE_HOME: await mkdtemp(join(tmpdir(), 'truefill-history-')) };
  expect((await runCli(['payments'], own)).out).toBe('0 calls, 0.00 USD\n');
  const line = ['quote', weth, usdc, '--size', '0.0625', '--sandbox'];
  const { err } = await runCli(line, own);
  const transaction = /transaction (0x[0-9a-f]{64})/.exec(err)?.[1];
  const { exit, out } = await runCli(['payments'], own);
  expect(exit).toBe(exitCodes.answered);
  expect(out).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}quote {2}0\.02 USD on eip155:8453 {2}transaction 0x[0-9a-f]{64} /,
  );
  expect(out).toMatch(/\n1 call, 0\.02 USD\n$/);
  const listed = JSON.parse((await runCli(['payments', '--json'], own)).out);
  expect(listed).toEqual([expect.objectContaining({ transaction, paidUsd: 0.02, service: service.url })]);

  const file = join(own.XDG_STATE_HOME, 'truefill', 'payments.jsonl');
  await appendFile(file, 'not a payment\n');
  const broken = await runCli(['payments'], own);
  expect(broken).toMatchObject({ exit: exitCodes.failed });
  expect(broken.err).toContain('1 lines that are not payments');
  await rm(own.XDG_STATE_HOME, { recursive: true });
});

test('error: a history that cannot be written does not lose the answer', async () => {
  const own = { XDG_STATE_HOME: await mkdtemp(join(tmpdir(), 'truefill-history-')) };
  await mkdir(join(own.XDG_STATE_HOME, 'truefill', 'payments.jsonl'), { recursive: true });
  const { exit, err } = await runCli(['quote', weth, usdc, '--size', '0.03125', '--sandbox'], own);
  expect(exit).toBe(exitCodes.answered);
  expect(err).toMatch(/could not be added to .*payments\.jsonl \(EISDIR\)/);
  const listed = await runCli(['payments'], own);
  expect(listed).toMatchObject({ exit: exitCodes.failed, out: '' });
  expect(listed.err).toContain('cannot be read (EISDIR). Nothing was charged.');
  await rm(own.XDG_STATE_HOME, { recursive: true });
});

test('error: truefill sign refuses any other response, a price above the limit, and a sandbox without --sandbox', async () => {
  const refused = await runCli(['sign', '--sandbox'], {}, 'HTTP/1.1 400 Bad Request\r\n\r\n{"code":"INVALID_REQUEST"}');
  expect(refused).toMatchObject({ exit: exitCodes.usage, out: '' });
  expect(refused.err).toContain('returned 400, not a 402');
  const real = await runCli(['sign', encode(offer()), '--sandbox', '--url', service.url]);
  expect(real).toMatchObject({ exit: exitCodes.notPaid, out: '' });
  expect(real.err).toContain('is not a truefill sandbox');
  const key = { TRUEFILL_KEY: `0x${'42'.repeat(32)}` };
  expect(
    await runCli(['sign', encode(offer('20000', 'eip155:8453', 'USD Coin (truefill sandbox)'))], key),
  ).toMatchObject({
    exit: exitCodes.notPaid,
    out: '',
  });
  expect(await runCli(['sign', encode(offer()), '--max-usd', '0.01'], key)).toMatchObject({ exit: exitCodes.notPaid });
});

test.each([
  ['out of range', `0x${'ff'.repeat(32)}`, 'f'.repeat(20)],
  ['too short', `0x${'c0ffee'.repeat(10)}`, 'c0ffee'],
  ['no Solana key', 'C0ffee'.repeat(14), 'C0ffee'],
  ['a mnemonic', 'canary canary canary', 'canary'],
])('security: never prints a key that is %s, also not in place of a command', async (_case, key, part) => {
  for (const [line, env] of [
    [['quote', weth, usdc, '--size', '1'], { TRUEFILL_KEY: key }],
    [['mcp'], { TRUEFILL_KEY: key }],
    [['sign', encode(offer())], { TRUEFILL_KEY: key }],
    [[key.padEnd(30, part)], {}],
    [['sign', key], { TRUEFILL_KEY: `0x${'42'.repeat(32)}` }],
  ] as [string[], Record<string, string>][]) {
    const { exit, out, err } = await runCli(line, env);
    expect(exit).not.toBe(0);
    expect(out + err).not.toContain(part);
    expect(out + err).not.toContain(String(BigInt(/^0x/.test(key) ? key : 1)).padStart(20, 'x'));
  }
});

test('default: truefill health is free and needs no wallet', async () => {
  const { exit, out } = await runCli(['health']);
  expect(exit).toBe(0);
  expect(out).toMatch(/^ok {2}truefill 1\.0\.0 \(sandbox\)/);
  expect(out).toMatch(/base +ok +block \d+/);
});

test.each([
  [['quote', weth, '--size', '1']],
  [['quote', weth, usdc]],
  [['quote', weth, usdc, '--size', '1', '--usd', '1']],
  [['check', weth, '--max-usd', 'all', '--sandbox']],
  [['check', weth]],
  [['sell', weth]],
  [['health', '--nonsense']],
])('error: %j prints the mistake and the help command in two lines', async (line) => {
  const { exit, out, err } = await runCli(line);
  expect({ exit, out }).toEqual({ exit: exitCodes.usage, out: '' });
  expect(err.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/Nothing was charged\.$/),
    expect.stringMatching(/^See truefill (?:\w+ )?--help$/),
  ]);
});

test('error: a refused request, a spend limit and an unreachable service have different exit codes', async () => {
  const bad = await runCli(['quote', weth, weth, '--size', '1', '--sandbox']);
  expect(bad).toMatchObject({ exit: exitCodes.refused, out: '' });
  expect(bad.err).toContain('tokenOut:');
  const overLimit = await runCli(['quote', weth, usdc, '--size', '1', '--sandbox', '--max-usd', '0.01']);
  expect(overLimit.exit).toBe(exitCodes.notPaid);
  expect(overLimit.err).toContain('Nothing was signed');
  const own = await runCli(['quote', weth, usdc, '--size', '1'], { TRUEFILL_KEY: `0x${'42'.repeat(32)}` });
  expect(own.exit).toBe(exitCodes.notPaid);
  expect(own.err).toMatch(/is a truefill sandbox.* Nothing was signed.* --sandbox/);
  expect((await runCli(['health', '--url', 'http://127.0.0.1:1'])).exit).toBe(exitCodes.unavailable);
  expect(
    (await runCli(['quote', 'WETH', 'USDC', '--size', '1', '--sandbox', '--url', 'http://127.0.0.1:1'])).exit,
  ).toBe(exitCodes.unavailable);
});

test("security: a token's name cannot move the cursor, reverse the text or add a line", () => {
  const name = 'US\u001b[2J\u0007\r\nDC\u202e\u200b\u{e0041}\u009b31m';
  expect(sanitize(name)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(sanitize('x'.repeat(1000)).length).toBeLessThan(500);
  const text = sanitizeJson({ name });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain('\\udb40\\udc41');
  expect(JSON.parse(text)).toEqual({ name });
});
