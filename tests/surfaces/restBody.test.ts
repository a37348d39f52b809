import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payment, quoteInput, type Served, serveFakes } from './serveFakes.ts';

let served: Served;
beforeAll(async () => {
  served = await serveFakes();
});
afterAll(() => served.close());
beforeEach(() => {
  served.engine.queries.length = 0;
  served.paymentService.attempts.length = 0;
});

const quote = (body: unknown, headers?: Record<string, string>) => served.post('/v1/quote', body, headers);

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test is about
const bodyOf = (response: Response): Promise<any> => response.json();

describe('size, type and encoding of the body', () => {
  test('error: 413 for a body over 16 KiB', async () => {
    const response = await quote(JSON.stringify({ ...quoteInput, note: 'x'.repeat(20_000) }), payment());
    expect(response.status).toBe(413);
    expect(await bodyOf(response)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  test.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=utf-16', {}],
    ['application/jsonp', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('error: 415 for the content type %s with the headers %j', async (type, headers) => {
    const response = await quote(quoteInput, { 'content-type': type, ...headers, ...payment() });
    expect(response.status).toBe(415);
    expect(await bodyOf(response)).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test.each(['{', 'null{', '{"a":1,}', "{'a':1}", 'NaN'])(
    'error: 400 for the body %s, which is not JSON',
    async (body) => {
      const response = await quote(body, payment());
      expect(response.status).toBe(400);
      expect(await bodyOf(response)).toMatchObject({
        code: 'INVALID_REQUEST',
        exampleRequest: { sizeIn: '1.5' },
        docs: expect.any(String),
      });
    },
  );

  test('error: 400 for bytes that are not UTF-8', async () => {
    const response = await fetch(`${served.url}/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
  });
});

describe('fields of the body', () => {
  const other = '0x1111111111111111111111111111111111111111';
  test.each([
    ['an unknown property', { ...quoteInput, slippage: 1 }, 'slippage'],
    ['__proto__', `{"tokenIn":"${quoteInput.tokenIn}","tokenOut":"${other}","sizeIn":"1","__proto__":{}}`, '__proto__'],
    ['no size', { tokenIn: quoteInput.tokenIn, tokenOut: quoteInput.tokenOut }, 'sizeIn'],
    ['a number for a size', { ...quoteInput, sizeIn: 1.5 }, 'sizeIn'],
    ['a number for sizeUSD', { ...quoteInput, sizeUSD: 100 }, 'sizeUSD'],
    ['a size of 79 characters', { ...quoteInput, sizeIn: '1'.repeat(79) }, 'sizeIn'],
    ['a size of zero', { ...quoteInput, sizeIn: '0' }, 'sizeIn'],
    ['a size of zero with decimals', { ...quoteInput, sizeIn: '0.000' }, 'sizeIn'],
    ['a leading zero', { ...quoteInput, sizeIn: '01' }, 'sizeIn'],
    ['a sign', { ...quoteInput, sizeIn: '-1' }, 'sizeIn'],
    ['an exponent', { ...quoteInput, sizeIn: '1e18' }, 'sizeIn'],
    ['no digit after the point', { ...quoteInput, sizeIn: '1.' }, 'sizeIn'],
    ['no digit before the point', { ...quoteInput, sizeIn: '.5' }, 'sizeIn'],
    ['a line end after the size', { ...quoteInput, sizeIn: '1\n' }, 'sizeIn'],
    ['an empty sizeUSD with a valid sizeIn', { ...quoteInput, sizeUSD: '' }, 'sizeUSD'],
    ['null for a size', { ...quoteInput, sizeIn: null }, 'sizeIn'],
    ['an unknown chain', { ...quoteInput, chain: 'ethereum' }, 'chain'],
    ['a chain in another case', { ...quoteInput, chain: 'Base' }, 'chain'],
    ['a chain id as a number', { ...quoteInput, chain: 8453 }, 'chain'],
    ['a short address', { ...quoteInput, tokenIn: '0x42' }, 'tokenIn'],
    ['an address with 0X', { ...quoteInput, tokenIn: quoteInput.tokenIn.replace('0x', '0X') }, 'tokenIn'],
    ['a missing tokenIn', { tokenOut: quoteInput.tokenOut, sizeIn: '1' }, 'tokenIn'],
    ['the same token', { ...quoteInput, tokenOut: quoteInput.tokenIn }, 'tokenOut'],
    ['the same token in another case', { ...quoteInput, tokenIn: quoteInput.tokenOut.toLowerCase() }, 'tokenOut'],
    ['an array', [quoteInput], ''],
    ['null', 'null', ''],
    ['a string', '"x"', ''],
  ])('error: 400, uncharged, with the field name for %s', async (_case, body, path) => {
    for (const headers of [{}, payment()]) {
      const response = await quote(body, headers);
      expect(response.status).toBe(400);
      const error = await bodyOf(response);
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 400, exampleRequest: { sizeIn: '1.5' } });
      expect(error.issues.map((issue: { path: string }) => issue.path)).toContain(path);
      expect(error.requestId).toBe(response.headers.get('x-request-id'));
    }
    expect(served.paymentService.attempts).toEqual([]);
    expect(served.engine.queries).toEqual([]);
  });

  test('behavior: lists all issues at once', async () => {
    const error = await bodyOf(await quote({ tokenIn: 'x', tokenOut: 7, chain: 'sol', a: 1, b: 2 }));
    expect(error.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      'a',
      'b',
      'chain',
      'sizeIn',
      'tokenIn',
      'tokenOut',
    ]);
  });

  test.each([
    { ...quoteInput, tokenIn: `0x${'aB'.repeat(20)}` },
    { ...quoteInput, tokenOut: quoteInput.tokenOut.toLowerCase() },
    { ...quoteInput, sizeIn: `0.${'0'.repeat(75)}1` },
    { ...quoteInput, sizeIn: '9'.repeat(78) },
    ...['base', 'polygon', 'matic', 'eip155:8453', 'eip155:137'].map((chain) => ({ ...quoteInput, chain })),
  ])('behavior: accepts %j', async (body) => {
    expect((await quote(body, payment())).status).toBe(200);
  });
});

test('behavior: lists the first fifty of 2,000 issues and their number', async () => {
  const body = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [at.toString(36), 1]));
  const response = await quote(body);
  expect(response.status).toBe(400);
  const { issues, detail } = await bodyOf(response);
  expect(issues).toHaveLength(50);
  expect(detail).toMatch(/in 200\d places: issues has the first 50\. Nothing was charged\./);
});
