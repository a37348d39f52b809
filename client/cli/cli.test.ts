import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { deployments } from '../../engine/index.ts';
import { catalogue } from '../../router/index.ts';
import { version } from '../version.ts';
import type { Quote } from '../wire.ts';
import { readCommandLine } from './commandLine.ts';
import { type CommandName, commandHelp, commands, generalHelp } from './commands.ts';
import { exitCodes } from './exitCodes.ts';
import { findToken, symbolOf } from './findToken.ts';
import { run } from './run.ts';
import { showQuote } from './showQuote.ts';
import { choosePaint, plain } from './style.ts';
import { amountOf, figure } from './tables.ts';
import { listedTokens } from './tokens.ts';

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

async function runCli(args: string[], env: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const exit = await run(args, {
    env,
    stdin: Readable.from(['']),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { exit, out, err };
}

const root = join(import.meta.dirname, '..', '..');

test('default: prints the version of package.json', async () => {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  expect(version).toBe(manifest.version);
  for (const line of [['--version'], ['-V'], ['quote', '--version']])
    expect(await runCli(line)).toEqual({ exit: 0, out: `truefill ${version}\n`, err: '' });
});

test('default: shows help for all commands, and for each command with its options', async () => {
  expect(await runCli([])).toEqual({ exit: 0, out: `${generalHelp()}\n`, err: '' });
  for (const name of Object.keys(commands) as CommandName[]) {
    expect(generalHelp()).toContain(`truefill ${name}`);
    if (name !== 'help') expect((await runCli([name, '--help'])).out).toBe(`${commandHelp(name)}\n`);
    expect((await runCli(['help', name])).out).toBe(`${commandHelp(name)}\n`);
    for (const option of commands[name].options) expect(commandHelp(name)).toContain(`--${option}`);
  }
  for (const text of [generalHelp(), ...(Object.keys(commands) as CommandName[]).map(commandHelp)])
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(124);
});

test('default: documents every exit code in the help and in the README', async () => {
  const readme = await readFile(join(root, 'client', 'README.md'), 'utf8');
  for (const code of Object.values(exitCodes)) {
    expect(generalHelp()).toMatch(new RegExp(`^ {2}${code} `, 'm'));
    expect(readme).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  }
});

test('default: each example of the help is a valid command line', () => {
  for (const { examples } of Object.values(commands)) {
    for (const line of examples.filter((text) => text.startsWith('truefill') && !text.includes('|'))) {
      const args = line.replace('https://…', 'https://x.example').split(' ').slice(1);
      expect(() => readCommandLine(args, {}), line).not.toThrow();
    }
  }
});

test('default: lists each routing asset of the deployments once, checksummed', () => {
  for (const [chain, tokens] of Object.entries(listedTokens)) {
    const { routingAssets } = deployments[chain as Quote['chain']];
    expect(tokens).toEqual(routingAssets.map(({ symbol, address }) => ({ symbol, address: getAddress(address) })));
    expect(new Set(tokens.map(({ symbol }) => symbol.toLowerCase())).size).toBe(tokens.length);
    for (const { address } of tokens) expect(getAddress(address)).toBe(address);
  }
});

test('behavior: finds a token by symbol in any letter case or by address, and the native coin', () => {
  expect(findToken('weth', 'base')).toBe(weth);
  expect(findToken('USDC', 'arbitrum')).toBe('0xaf88d065e77c8cC2239327C5EDb3A432268e5831');
  expect(findToken('usdc.e', 'polygon')).toBe('0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174');
  expect(findToken(usdc, 'base')).toBe(usdc);
  expect(findToken(usdc.toLowerCase(), 'base')).toBe(usdc.toLowerCase());
  expect(findToken('pol', 'polygon')).toBe('0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE');
  expect(symbolOf('base', usdc.toLowerCase())).toBe('USDC');
  // A hostile answer may contain this chain name.
  expect(symbolOf('__proto__' as 'base', usdc)).toBeUndefined();
});

test('error: lists the candidates when a symbol is unknown or ambiguous', () => {
  expect(() => findToken('PEPE', 'base')).toThrow(/symbol PEPE is not in the list for base\. Known: WETH, USDC, /);
  expect(() => findToken('ARB', 'base')).toThrow(/It is in the list for arbitrum: pass --chain arbitrum/);
  const two = [
    { symbol: 'USDC', address: usdc as `0x${string}` },
    { symbol: 'usdc', address: weth as `0x${string}` },
  ];
  expect(() => findToken('USDC', 'base', two)).toThrow(`ambiguous on base: USDC ${usdc}, usdc ${weth}.`);
});

test('error: rejects an address with a wrong checksum, and does not print a possible key', () => {
  expect(() => findToken(usdc.replace('C32D', 'c32D'), 'base')).toThrow(/fails its checksum/);
  const key = `0x${'c0ffee42'.repeat(8)}`;
  expect(() => findToken(key, 'base')).toThrow(/got 64 characters.*TRUEFILL_KEY/);
  expect(() => findToken(key, 'base')).not.toThrow(/c0ffee/);
});

test('error: rejects an option that the command would ignore', () => {
  expect(() => readCommandLine(['health', '--max-usd', '5'], {})).toThrow(/health does not accept --max-usd/);
});

test.each<[string[], RegExp]>([
  [['quote', 'WETH', 'USDC', '--size', '1', '--chain', ''], /^The value of --chain is empty\. Pass a value/],
  [['quote', '', 'USDC', '--size', '1'], /^Argument 2 is empty\. Expected truefill quote <tokenIn> <tokenOut>\.$/],
  [[''], /^Argument 1 is empty\. Known: quote, /],
  [
    ['quote', 'WETH', 'USDC', '--size', '-5'],
    /^--size needs a value\. If the value starts with a hyphen, write --size=-value\.$/,
  ],
  [
    ['quote', 'WETH', 'USDC', '--size', '1', '--chain', 'solana'],
    /^Unknown chain solana\. Use base, polygon or arbitrum/,
  ],
  [
    ['health', '--url', 'ftp://x'],
    /^The service's address must be an http or https URL, got ftp:\/\/x\. Set it with --url/,
  ],
  [['verify', 'quote.json', '--rpc', 'ftp://x'], /^--rpc must be an http or https URL, got ftp:\/\/x\.$/],
  [['receipt', 'check', 'x'], /^Expected truefill receipt verify <file\|header>, got check\.$/],
  [['help', 'nothing'], /^Unknown command nothing\. Known: quote, /],
])('error: the message for %j contains the fault and what to do', (args, message) => {
  expect(() => readCommandLine(args, {})).toThrow(message);
});

test('security: does not print a long unknown command, which may be a private key', () => {
  expect(() => readCommandLine(['c0ffee42'.repeat(8)], {})).toThrow(/^Unknown command\. Known: /);
});

test('behavior: an empty TRUEFILL_URL counts as not set', () => {
  expect(readCommandLine(['health'], { TRUEFILL_URL: '' }).options.url).toBe('http://127.0.0.1:4020');
});

test('behavior: options override the environment, which overrides the configuration file', async () => {
  const config = { url: 'http://file.example', chain: 'arbitrum', maxUsd: 3, payOn: 'eip155:137' };
  const line = ['quote', 'WETH', 'USDC', '--size', '1'];
  expect(readCommandLine(line, {}, config)).toMatchObject({
    request: { chain: 'arbitrum', tokenOut: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' },
    options: { url: 'http://file.example', maxUsd: 3, payOn: 'eip155:137' },
  });
  const env = { TRUEFILL_URL: 'http://env.example' };
  expect(readCommandLine(line, env, config).options.url).toBe('http://env.example');
  const given = readCommandLine([...line, '--url', 'http://option.example', '--max-usd', '1'], env, config);
  expect(given.options).toMatchObject({ url: 'http://option.example', maxUsd: 1 });
  // The pretrade check is served on Base only, so it ignores the chain of the file.
  expect(readCommandLine(['check', 'WETH'], {}, config)).toMatchObject({ request: { token: weth } });
});

test('error: exits 78 when the configuration file is invalid', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-config-'));
  const path = join(folder, 'config.json');
  const env = { TRUEFILL_CONFIG: path };
  await writeFile(path, '{"url": "http://127.0.0.1:1"}');
  expect((await runCli(['health'], env)).err).toContain('http://127.0.0.1:1 cannot be reached');
  for (const [text, words] of [
    ['{"ulr": "x"}', 'unknown member ulr. Known: url, chain, payOn, maxUsd.'],
    ['{"key": "0xc0ffee"}', 'The key belongs in TRUEFILL_KEY.'],
    ['{"maxUsd": "1"}', 'maxUsd that is a string'],
    ['{"maxUsd": -1}', 'maxUsd -1'],
    ['{', 'is not JSON'],
    ['[]', 'is not a JSON object'],
  ] as const) {
    await writeFile(path, text);
    const { exit, err } = await runCli(['health'], env);
    expect({ text, exit }).toEqual({ text, exit: exitCodes.config });
    expect(err).toContain(words);
    expect(err).toContain('Nothing was sent or charged.');
    expect(err).not.toContain('c0ffee');
    expect((await runCli(['--help'], env)).exit).toBe(0);
  }
  expect((await runCli(['health'], { TRUEFILL_CONFIG: join(folder, 'none') })).exit).toBe(exitCodes.config);
  await rm(folder, { recursive: true });
});

test('behavior: prints colours only to a terminal and without NO_COLOR, or with FORCE_COLOR', () => {
  expect(choosePaint({ isTTY: true }, {})('red', 'x')).toBe('\u001b[31mx\u001b[39m');
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '1' })('red', 'x')).toBe('x');
  expect(choosePaint({ isTTY: true }, { NO_COLOR: '' })('red', 'x')).not.toBe('x');
  expect(choosePaint({ isTTY: true }, { TERM: 'dumb' })('red', 'x')).toBe('x');
  expect(choosePaint({}, {})('red', 'x')).toBe('x');
  expect(choosePaint({}, { FORCE_COLOR: '1' })('red', 'x')).not.toBe('x');
});

test('behavior: a coloured quote has the same text as a plain quote', () => {
  const quote = catalogue.find(({ name }) => name === 'quote')?.exampleAnswer as Quote;
  const coloured = showQuote(quote, choosePaint({ isTTY: true }, {}));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(showQuote(quote, plain));
  expect(coloured).not.toBe(showQuote(quote));
});

test('default: rounds figures to two places from 1,000 on, keeps six digits below 1, and never rounds amounts up', () => {
  expect(figure(2995.705)).toBe('2,995.71');
  expect(figure(0.0000012345678)).toBe('0.00000123457');
  expect(figure(-0.000000499999, ' bps')).toBe('0 bps');
  expect(figure(0.000891204, ' days')).toBe('0 days');
  expect(amountOf(7_489_262_547n, 6)).toBe('7,489.262547');
  expect(amountOf(1_999_999_999_999_999_999n, 18)).toBe('1.999999');
  expect(amountOf(1_234_567_890n, 18)).toBe('0.00000000123456');
  expect(amountOf(5n, 0)).toBe('5');
  expect(amountOf(0n, 18)).toBe('0');
});

test('error: names the word that was probably meant', async () => {
  for (const [line, meant] of [
    [['qoute', 'WETH', 'USDC'], 'Did you mean quote?'],
    [['quote', 'WETH', 'UDSC', '--size', '1'], 'Did you mean USDC?'],
    [['quote', 'WETH', 'USDC', '--size', '1', '--chain', 'polygn'], 'Did you mean polygon?'],
    [['quote', 'WETH', 'USDC', '--sise', '1'], 'Did you mean --size?'],
  ] as const)
    expect((await runCli([...line])).err, line.join(' ')).toContain(meant);
  expect((await runCli(['sell', 'WETH'])).err).not.toContain('Did you mean');
});

test('error: an amount that could mean two things is rejected; grouped digits are read', async () => {
  const requestOf = (size: string) => {
    const command = readCommandLine(['quote', 'WETH', 'USDC', '--size', size], {});
    return 'request' in command ? command.request?.sizeIn : undefined;
  };
  expect([requestOf('2,500'), requestOf('.5')]).toEqual(['2500', '0.5']);
  expect(() => requestOf('2,5')).toThrow('--size must be an amount, got 2,5. Write decimals with a point: 2.5.');
});

test('error: with --json the error is one line of JSON on stderr', async () => {
  const { exit, out, err } = await runCli(['quote', 'WETH', 'USDC', '--json']);
  expect({ exit, out }).toEqual({ exit: exitCodes.usage, out: '' });
  expect(JSON.parse(err)).toEqual({
    error: {
      name: 'UsageError',
      message: 'Pass --size (whole tokens) or --usd; got neither. Nothing was charged.',
      exitCode: exitCodes.usage,
      charged: false,
    },
  });
});
