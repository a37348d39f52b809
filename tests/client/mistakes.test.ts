import { Readable } from 'node:stream';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../client/cli/run.ts';
import { createTruefillClient, type TruefillClientOptions } from '../../client/index.ts';
import { payment, question, type Served, serveFakes } from '../surfaces/serveFakes.ts';
import { asksForPayment, openShop } from './scriptedShop.ts';

// Forty mistakes of newcomers. Each message states what was seen, what to do and that nothing was charged.

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.paymentService.events.length = 0;
  served.engine.asked.length = 0;
});

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`);

interface Row {
  mistake: string;
  message: () => Promise<string>;
  seen: RegExp;
  toDo: RegExp;
}

/** The message of a REST error: its detail and its issues. */
const rest =
  (path: string, body: unknown, init: RequestInit = {}) =>
  async () => {
    const response = await fetch(served.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...payment() },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...init,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    const { detail, issues = [] } = (await response.json()) as { detail: string; issues?: { message: string }[] };
    return [detail, ...issues.map(({ message }) => message)].join(' ');
  };

const cli =
  (...line: string[]) =>
  async () => {
    let out = '';
    let err = '';
    const exit = await run(line, {
      env: { TRUEFILL_URL: served.url, ...(line[0] === 'sign' && { TRUEFILL_KEY: `0x${'42'.repeat(32)}` }) },
      stdin: Readable.from(['not a 402']),
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
    });
    expect({ exit: exit > 0, out }).toEqual({ exit: true, out: '' });
    return err.replace(/\nSee truefill .*--help\n$/, '').trim();
  };

/** The message of a client's error, against the fake service or one that is scripted. */
const client =
  (
    call: (truefill: ReturnType<typeof createTruefillClient>) => Promise<unknown>,
    options: Partial<TruefillClientOptions> = {},
  ) =>
  async () => {
    const failure = (async () => {
      const patience = { attempts: 1 };
      return call(createTruefillClient({ url: served.url, wallet: account, patience, ...options }));
    })();
    return failure.then(
      () => 'no error',
      (error: Error) => error.message.replaceAll('\n', ' '),
    );
  };

const scripted =
  (steps: Parameters<typeof openShop>[0], options: Partial<TruefillClientOptions> = {}): Row['message'] =>
  async () => {
    const shop = await openShop(steps);
    try {
      return await client((truefill) => truefill.quote({ tokenIn: weth, tokenOut: usdc, sizeIn: '1' }), {
        url: shop.url,
        ...options,
      })();
    } finally {
      await shop.close();
    }
  };

// biome-ignore lint/suspicious/noExplicitAny: wrong on purpose
const wrong = (request: unknown) => client((truefill) => truefill.quote(request as any));

const onRest: Row[] = [
  {
    mistake: 'sizeIn as a number',
    message: rest('/v1/quote', { ...question, sizeIn: 2.5 }),
    seen: /Got 2\.5 \(number\)/,
    toDo: /decimal as a JSON string/,
  },
  {
    mistake: 'a size of zero',
    message: rest('/v1/quote', { ...question, sizeIn: '0' }),
    seen: /Got "0"/,
    toDo: /positive decimal/,
  },
  {
    mistake: 'an exponent',
    message: rest('/v1/quote', { ...question, sizeIn: '1e18' }),
    seen: /Got "1e18"/,
    toDo: /no exponent/,
  },
  {
    mistake: 'a comma',
    message: rest('/v1/quote', { ...question, sizeIn: '1,5' }),
    seen: /Got "1,5"/,
    toDo: /such as "1500" or "0\.25"/,
  },
  {
    mistake: 'no size',
    message: rest('/v1/quote', { tokenIn: weth, tokenOut: usdc }),
    seen: /sizeIn and sizeUSD/,
    toDo: /is required/,
  },
  {
    mistake: 'no tokenOut',
    message: rest('/v1/quote', { tokenIn: weth, sizeIn: '1' }),
    seen: /It is missing/,
    toDo: /0x and 40 hexadecimal/,
  },
  {
    mistake: 'a symbol',
    message: rest('/v1/quote', { ...question, tokenIn: 'WETH' }),
    seen: /Got "WETH"/,
    toDo: /0x and 40 hexadecimal/,
  },
  {
    mistake: 'a short address',
    message: rest('/v1/quote', { ...question, tokenIn: weth.slice(0, -1) }),
    seen: /Got "0x4200/,
    toDo: /40 hexadecimal/,
  },
  {
    mistake: 'the same token twice',
    message: rest('/v1/quote', { ...question, tokenOut: weth }),
    seen: /tokenIn/,
    toDo: /differ from tokenIn/,
  },
  {
    mistake: 'an unknown chain',
    message: rest('/v1/quote', { ...question, chain: 'solana' }),
    seen: /Got "solana"/,
    toDo: /one of: base, polygon/,
  },
  {
    mistake: 'an unknown field',
    message: rest('/v1/quote', { ...question, slippage: 1 }),
    seen: /Unknown property/,
    toDo: /remove it/,
  },
  {
    mistake: 'a check on Polygon',
    message: rest('/v1/pretrade/check', { token: weth, chain: 'polygon' }),
    seen: /polygon/,
    toDo: /send base/,
  },
  {
    mistake: 'broken JSON',
    message: rest('/v1/quote', '{"tokenIn": '),
    seen: /not valid JSON/,
    toDo: /like exampleRequest/,
  },
  {
    mistake: 'a form',
    message: rest('/v1/quote', 'tokenIn=0x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    seen: /x-www-form-urlencoded/,
    toDo: /application\/json/,
  },
  { mistake: 'an array', message: rest('/v1/quote', [question]), seen: /Got an array/, toDo: /must be a JSON object/ },
  {
    mistake: 'a body of 20 KiB',
    message: rest('/v1/quote', 'x'.repeat(20_480)),
    seen: /exceeds 16384 bytes/,
    toDo: /smaller/,
  },
  {
    mistake: 'GET',
    message: rest('/v1/quote', undefined, { method: 'GET' }),
    seen: /GET is not served/,
    toDo: /Send POST/,
  },
  { mistake: 'a misspelt path', message: rest('/v1/qoute', question), seen: /\/v1\/qoute/, toDo: /exact spelling/ },
  {
    mistake: 'no payment',
    message: rest('/v1/quote', question, { headers: { 'content-type': 'application/json' } }),
    seen: /costs 0\.02 USD/,
    toDo: /Sign one of accepts/,
  },
];

const onCli: Row[] = [
  { mistake: 'an unknown command', message: cli('sell', 'WETH'), seen: /sell/, toDo: /Known: quote/ },
  {
    mistake: 'one token',
    message: cli('quote', 'WETH', '--size', '1'),
    seen: /got 1 operands/,
    toDo: /<tokenIn> <tokenOut>/,
  },
  { mistake: 'no size', message: cli('quote', 'WETH', 'USDC'), seen: /got none/, toDo: /--size/ },
  {
    mistake: 'two sizes',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--usd', '1'),
    seen: /got both/,
    toDo: /one of/,
  },
  {
    mistake: 'an unknown symbol',
    message: cli('quote', 'PEPE', 'USDC', '--size', '1'),
    seen: /PEPE/,
    toDo: /Give the address/,
  },
  {
    mistake: "another chain's symbol",
    message: cli('quote', 'ARB', 'USDC', '--size', '1'),
    seen: /ARB/,
    toDo: /--chain/,
  },
  {
    mistake: 'a mistyped address',
    message: cli('quote', usdc.replace('C32D', 'c32D'), 'WETH', '--size', '1'),
    seen: /fails its checksum/,
    toDo: /Copy it again/,
  },
  { mistake: 'a short address', message: cli('check', '0x1234'), seen: /got 4 characters/, toDo: /40 hexadecimal/ },
  {
    mistake: 'an unknown chain',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--chain', 'mainnet'),
    seen: /mainnet/,
    toDo: /Use base/,
  },
  { mistake: 'an unknown option', message: cli('health', '--verbose'), seen: /--verbose/, toDo: /Unknown option/ },
  {
    mistake: 'an option of another command',
    message: cli('health', '--max-usd', '1'),
    seen: /--max-usd/,
    toDo: /It takes --url/,
  },
  {
    mistake: 'a limit that is no number',
    message: cli('check', 'WETH', '--max-usd', 'all'),
    seen: /got all/,
    toDo: /e\.g\. 0\.10/,
  },
  {
    mistake: 'a URL without a scheme',
    message: cli('health', '--url', 'localhost:4020'),
    seen: /got localhost:4020/,
    toDo: /http or https/,
  },
  { mistake: 'no wallet', message: cli('check', 'WETH'), seen: /costs USDC/, toDo: /set TRUEFILL_KEY/ },
  { mistake: 'text instead of a 402', message: cli('sign'), seen: /a 402/, toDo: /curl -si/ },
  {
    mistake: 'an unreachable service',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--sandbox', '--url', 'http://127.0.0.1:1'),
    seen: /127\.0\.0\.1:1 cannot be reached/,
    toDo: /Check --url/,
  },
  {
    mistake: '--sandbox for a live service',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--sandbox'),
    seen: /not a sandbox/,
    toDo: /your own wallet/,
  },
];

const onClient: Row[] = [
  {
    mistake: 'a private key as the wallet',
    message: client((truefill) => truefill.health(), { wallet: `0x${'42'.repeat(32)}` as never }),
    seen: /got string/,
    toDo: /privateKeyToAccount/,
  },
  {
    mistake: 'a negative limit',
    message: client((truefill) => truefill.health(), { spendLimit: { totalUsd: -1 } }),
    seen: /got -1/,
    toDo: /at least 0/,
  },
  {
    mistake: 'a size as a number',
    message: wrong({ ...question, sizeIn: 1 }),
    seen: /Got 1 \(number\)/,
    toDo: /JSON string/,
  },
  {
    mistake: 'a misspelt field',
    message: wrong({ ...question, size: '1' }),
    seen: /size: Unknown property/,
    toDo: /remove it/,
  },
  {
    mistake: 'an unreachable service',
    message: client((truefill) => truefill.health(), { url: 'http://127.0.0.1:1' }),
    seen: /127\.0\.0\.1:1 cannot be reached/,
    toDo: /Check the address/,
  },
  {
    mistake: 'a web page',
    message: scripted([{ status: 200, raw: '<html>' }]),
    seen: /\(200\) is not JSON/,
    toDo: /Is this the address/,
  },
  {
    mistake: 'a foreign 402',
    message: scripted([{ status: 402, body: {} }]),
    seen: /no PAYMENT-REQUIRED/,
    toDo: /Is this the address/,
  },
  {
    mistake: 'a limit below the price',
    message: scripted([asksForPayment()], { spendLimit: { totalUsd: 0.01 } }),
    seen: /costs 0\.02 USD/,
    toDo: /spend limit/,
  },
  {
    mistake: 'a network without a wallet',
    message: scripted([asksForPayment()], { payOn: 'eip155:137' }),
    seen: /eip155:8453/,
    toDo: /no given wallet can pay/,
  },
  {
    mistake: 'an unintended sandbox',
    message: scripted([asksForPayment('20000', 'eip155:8453', 'USD Coin (truefill sandbox)')]),
    seen: /is a truefill sandbox/,
    toDo: /allowSandbox/,
  },
];

const rows = [
  ...onRest.map((row) => ['REST', row.mistake, row] as const),
  ...onCli.map((row) => ['command line', row.mistake, row] as const),
  ...onClient.map((row) => ['client', row.mistake, row] as const),
];

test('the table has at least 40 mistakes', () => {
  expect(rows.length).toBeGreaterThanOrEqual(40);
});

test.each(rows)(
  '%s: %s is answered with what was seen, what to do and that nothing was charged',
  async (surface, _mistake, row) => {
    const text = await row.message();
    expect(text).toMatch(row.seen);
    expect(text).toMatch(row.toDo);
    // A 402 without a payment is the offer: there is nothing to charge yet.
    if (row.mistake !== 'no payment') expect(text).toMatch(/\b[Nn]othing was (?:charged|signed|sent)\b/);
    expect(text).not.toMatch(/\b(?:who|whoever|nobody|tells?|told|says?)\b|undefined|\[object/);
    for (const sentence of text.split(/[.?!:]\s+/)) {
      // A list of tokens or networks is not prose.
      const words = sentence.split(/\s+/).filter((word) => !/^0x|,$/.test(word));
      expect(words.length, sentence).toBeLessThanOrEqual(25);
    }
    if (surface === 'REST') expect(served.paymentService.events).toEqual([]);
    expect(served.engine.asked).toEqual([]);
  },
);
