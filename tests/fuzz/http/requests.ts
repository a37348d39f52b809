import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { evilJson, evilKey, sizeText, wildText } from '../arbitraries.ts';
import type { RawRequest } from './rawExchange.ts';

/** Signatures of wallets that own nothing, by the path whose offer they accept. */
export interface PoorPayments {
  quote: object;
  check: object;
}

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const goodQuote = { tokenIn: weth, tokenOut: usdc, sizeIn: '1.5' };
const goodCheck = { token: weth };

const method = fc.oneof(
  { weight: 24, arbitrary: fc.constant('POST') },
  { weight: 3, arbitrary: fc.constantFrom('GET', 'HEAD', 'OPTIONS') },
  { weight: 2, arbitrary: fc.constantFrom('PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'QUERY') },
  { weight: 1, arbitrary: fc.constantFrom('post', 'FOO', 'GE T', '', 'PRI', '\u0000', 'G'.repeat(300)) },
);

const place = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom('/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check') },
  { weight: 4, arbitrary: fc.constantFrom('/trpc/quote', '/trpc/pretradeCheck', '/mcp') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('/', '/health', '/docs', '/docs/', '/openapi.json', '/sandbox', '/llms.txt'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/.well-known/x402',
      '/.well-known/agent-card.json',
      '/guides/errors',
      '/assets/site.css',
      '/docs/swagger-ui.css',
    ),
  },
);
const suffix = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?',
    '?a=b',
    '?batch=1',
    '?__proto__[x]=1',
    '?%',
    '?%00',
    '?\\',
    '#x',
    '/',
    '//',
    '/..',
    '/../v1/quote',
    '%2f',
    '%00',
    '%',
    '%zz',
    ';a',
    ',quote',
    '\\',
    '.',
  ),
  fc.webPath(),
);
const target = fc.oneof(
  { weight: 16, arbitrary: fc.tuple(place, suffix).map((parts) => parts.join('')) },
  fc.constantFrom(
    '*',
    '',
    '//',
    '///v1/quote',
    'http://[',
    'http://[::1',
    'http://a:99999/v1/quote',
    'http://x/v1/quote',
    'https://u:p@x/health',
    '/%ff%fe',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%5c..',
    'x',
    '?',
    '#',
    '/\u00ff',
    'mailto:a',
    'http:',
    '://',
    '/assets/__proto__',
    '/docs/constructor',
    `/${'a'.repeat(20_000)}`,
  ),
  wildText.map((text) => `/${text.replace(/[\r\n ]/g, '')}`),
);

const headerName = fc.oneof(
  fc.constantFrom(
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Range',
    'If-None-Match',
    'If-Modified-Since',
    'Origin',
    'Referer',
    'Cookie',
    'Authorization',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Forwarded',
    'Via',
    'Upgrade',
    'Connection',
    'Expect',
    'TE',
    'Trailer',
    'Max-Forwards',
    'X-HTTP-Method-Override',
    'X-Request-Id',
    'Host',
    'Content-Type',
    'Content-Encoding',
    'Content-Length',
    'Transfer-Encoding',
    'PAYMENT-SIGNATURE',
    'payment-response',
    'X-PAYMENT',
    'mcp-protocol-version',
    'mcp-session-id',
    'trpc-accept',
    'Access-Control-Request-Method',
    'Sec-Fetch-Mode',
    '__proto__',
    'constructor',
  ),
  fc.constantFrom('', ' ', 'a b', 'x\u0000', ':', 'ü'),
);
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '*/*',
    'text/html',
    'application/json',
    'text/event-stream',
    'application/json, text/event-stream',
    'gzip',
    'close',
    'keep-alive',
    'upgrade',
    'websocket',
    'h2c',
    '100-continue',
    'fish',
    'bytes=0-0',
    'bytes=9-1,-',
    '"x"',
    'chunked',
    'gzip, chunked',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    '127.0.0.1',
    '::1, , x',
    'http://evil.example',
    '2025-06-18',
    'null',
    'a\rb',
    'a\nb: c',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ),
  fc.nat(30_000).map((length) => 'a'.repeat(length)),
  wildText,
);
const header: fc.Arbitrary<[string, string]> = fc.tuple(headerName, headerValue);

const oddValue = fc.oneof(
  evilJson,
  sizeText,
  wildText,
  fc.constantFrom(weth, usdc, weth.toUpperCase(), 'base', 'polygon', 'solana', 1.5, -0, Number.MAX_VALUE, 2 ** 53),
);
const json = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(goodQuote, goodCheck, {}) },
  {
    weight: 4,
    arbitrary: fc
      .dictionary(
        fc.oneof(fc.constantFrom('tokenIn', 'tokenOut', 'sizeIn', 'sizeUSD', 'chain', 'token'), evilKey),
        oddValue,
      )
      .map((odd) => ({ ...goodQuote, ...odd })),
  },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(fc.constantFrom('token', 'sizeUSD', 'chain', 'extra'), oddValue)
      .map((odd) => ({ ...goodCheck, ...odd })),
  },
  { weight: 1, arbitrary: evilJson },
);

const rpcId = fc.oneof(fc.nat(9), fc.constantFrom<unknown>('a', null, -1, 1.5, {}, [], true, '__proto__'));
/** MCP's messages, more or less. */
function rpcMessage(payments: PoorPayments) {
  const call = fc.record(
    {
      name: fc.oneof(
        fc.constantFrom<unknown>(
          'quote',
          'pretrade_check',
          'pretradeCheck',
          'health',
          '__proto__',
          'toString',
          null,
          7,
        ),
        wildText,
      ),
      arguments: fc.oneof(json, oddValue),
      _meta: fc.oneof(
        evilJson,
        fc.oneof(payment(payments), evilJson).map((paid) => ({ 'x402/payment': paid })),
      ),
    },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      jsonrpc: fc.oneof(
        { weight: 8, arbitrary: fc.constant<unknown>('2.0') },
        fc.constantFrom<unknown>('1.0', 2, null),
      ),
      id: rpcId,
      method: fc.oneof(
        { weight: 5, arbitrary: fc.constant<unknown>('tools/call') },
        fc.constantFrom<unknown>(
          'initialize',
          'tools/list',
          'ping',
          'notifications/initialized',
          'resources/list',
          'prompts/get',
          'tools/',
          '__proto__',
          7,
          null,
        ),
      ),
      params: fc.oneof({ weight: 4, arbitrary: call as fc.Arbitrary<unknown> }, evilJson),
    },
    { requiredKeys: ['method'] },
  );
}

/** A signed payment that cannot be charged, whole or with one thing in it changed. */
function payment({ quote, check }: PoorPayments): fc.Arbitrary<unknown> {
  const whole = fc.constantFrom<Record<string, unknown>>(quote as never, check as never);
  const key = fc.oneof(fc.constantFrom('x402Version', 'accepted', 'payload', 'resource', 'extensions'), evilKey);
  const inner = fc.constantFrom('accepted', 'payload');
  const deepKey = fc.oneof(
    fc.constantFrom(
      'network',
      'scheme',
      'amount',
      'asset',
      'payTo',
      'extra',
      'maxTimeoutSeconds',
      'authorization',
      'signature',
      'transaction',
    ),
    evilKey,
  );
  return fc.oneof(
    { weight: 3, arbitrary: whole as fc.Arbitrary<unknown> },
    fc.tuple(whole, key, evilJson).map(([paid, name, odd]) => ({ ...paid, [name]: odd })),
    fc
      .tuple(whole, inner, deepKey, fc.oneof(evilJson, wildText))
      .map(([paid, at, name, odd]) => ({ ...paid, [at]: { ...(paid[at] as object), [name]: odd } })),
    fc
      .tuple(
        whole,
        fc.constantFrom('from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'),
        fc.oneof(evilJson, wildText, sizeText),
      )
      .map(([paid, name, odd]) => {
        const inside = paid.payload as { authorization: object };
        return { ...paid, payload: { ...inside, authorization: { ...inside.authorization, [name]: odd } } };
      }),
    whole.map((paid) => shout(paid)),
  );
}

/** The same wallet in capitals: hexadecimal knows no case. */
function shout(paid: Record<string, unknown>): unknown {
  const inside = paid.payload as { authorization: { from: string } };
  const from = `0x${inside.authorization.from.slice(2).toUpperCase()}`;
  return { ...paid, payload: { ...inside, authorization: { ...inside.authorization, from } } };
}

function paymentHeader(payments: PoorPayments): fc.Arbitrary<string> {
  const encoded = payment(payments).map((paid) => Buffer.from(JSON.stringify(paid)).toString('base64'));
  return fc.oneof(
    { weight: 6, arbitrary: encoded },
    fc.tuple(encoded, fc.nat(100)).map(([text, cut]) => text.slice(0, -cut || undefined)),
    fc
      .tuple(
        encoded,
        fc.constantFrom(
          ', ',
          '\t',
          '=',
          '-',
          '_',
          '\u0000',
          '\r\nX-Injected: yes',
          '\r\n\r\nGET /health HTTP/1.1\r\nHost: x\r\n\r\n',
        ),
      )
      .map(([text, odd]) => `${text.slice(0, 40)}${odd}${text.slice(40)}`),
    evilJson.map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
    fc.uint8Array({ maxLength: 50 }).map((raw) => Buffer.from(raw).toString('base64')),
    fc.constantFrom('', ' ', 'null', 'e30=', 'W10=', 'bnVsbA==', '{}', 'A'.repeat(12_289), '='.repeat(10)),
    wildText,
  );
}

function body(payments: PoorPayments, path: string): fc.Arbitrary<Buffer> {
  const value = path.startsWith('/mcp')
    ? fc.oneof(
        { weight: 6, arbitrary: rpcMessage(payments) as fc.Arbitrary<unknown> },
        fc.array(rpcMessage(payments), { maxLength: 3 }),
        json,
      )
    : json;
  const text = value.map((one) => JSON.stringify(one) ?? '');
  return fc.oneof(
    { weight: 8, arbitrary: text.map((one) => Buffer.from(one)) },
    fc.tuple(text, fc.nat(30)).map(([one, cut]) => Buffer.from(one.slice(0, -cut || undefined))),
    text.map((one) => gzipSync(one)),
    fc
      .tuple(text, fc.constantFrom('utf16le', 'latin1'))
      .map(([one, encoding]) => Buffer.from(one, encoding as BufferEncoding)),
    fc.uint8Array({ maxLength: 100 }).map((raw) => Buffer.from(raw)),
    fc.constantFrom(16_384, 16_385, 100_000).map((size) => Buffer.alloc(size, ' ')),
    fc.constantFrom('[', '{"a":').map((open) => Buffer.from(open.repeat(3_000))),
    fc
      .constantFrom(
        '{"__proto__":{"ticket":1},"tokenIn":"x"}',
        '{"tokenIn":"a","tokenIn":"b"}',
        '\ufeff{}',
        '{"sizeIn":"1"}\u0000',
      )
      .map((one) => Buffer.from(one)),
  );
}

const framing = fc.oneof(
  { weight: 30, arbitrary: fc.constant('length' as const) },
  { weight: 8, arbitrary: fc.constant('chunked' as const) },
  fc.constantFrom(
    'none',
    'tooLong',
    'tooShort',
    'both',
    'twice',
    'badChunk',
    'hugeChunk',
    'extension',
    'trailers',
    'negative',
    'words',
  ),
);
type Framing =
  | 'length'
  | 'chunked'
  | 'none'
  | 'tooLong'
  | 'tooShort'
  | 'both'
  | 'twice'
  | 'badChunk'
  | 'hugeChunk'
  | 'extension'
  | 'trailers'
  | 'negative'
  | 'words';

function frame(how: Framing, content: Buffer): { lines: string[]; bytes: Buffer } {
  const size = content.length;
  const chunk = (extension = '') =>
    Buffer.concat([Buffer.from(`${size.toString(16)}${extension}\r\n`), content, Buffer.from('\r\n')]);
  const end = Buffer.from('0\r\n\r\n');
  const chunks = size === 0 ? end : Buffer.concat([chunk(), end]);
  const coded = 'Transfer-Encoding: chunked';
  switch (how) {
    case 'length':
      return { lines: [`Content-Length: ${size}`], bytes: content };
    case 'chunked':
      return { lines: [coded], bytes: chunks };
    case 'none':
      return { lines: [], bytes: content };
    case 'tooLong':
      return { lines: [`Content-Length: ${size + 7}`], bytes: content };
    case 'tooShort':
      return { lines: [`Content-Length: ${Math.max(0, size - 7)}`], bytes: content };
    case 'both':
      return { lines: [`Content-Length: ${size}`, coded], bytes: chunks };
    case 'twice':
      return { lines: [`Content-Length: ${size}`, `Content-Length: ${size + 1}`], bytes: content };
    case 'badChunk':
      return { lines: [coded], bytes: Buffer.concat([Buffer.from('zz\r\n'), content]) };
    case 'hugeChunk':
      return { lines: [coded], bytes: Buffer.concat([Buffer.from('ffffffffffffffffff\r\n'), content]) };
    case 'extension':
      return { lines: [coded], bytes: Buffer.concat([chunk(`;${'x'.repeat(20_000)}`), end]) };
    case 'trailers':
      return {
        lines: [coded, 'Trailer: PAYMENT-SIGNATURE'],
        bytes: Buffer.concat([chunk(), Buffer.from('0\r\nPAYMENT-SIGNATURE: e30=\r\n\r\n')]),
      };
    case 'negative':
      return { lines: ['Content-Length: -1'], bytes: content };
    case 'words':
      return { lines: ['Content-Length: five'], bytes: content };
  }
}

/** What a request is, beside its bytes: for who reads a finding. */
export interface Generated extends RawRequest {
  target: string;
  accept: string;
}

/** Anything that a socket can be sent in the name of HTTP. */
export function generatedRequest(payments: PoorPayments): fc.Arbitrary<Generated> {
  const chosen = fc.tuple(method, target).chain(([verb, path]) =>
    fc.record({
      verb: fc.constant(verb),
      hosted: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, fc.constant(false)),
      path: fc.constant(path),
      version: fc.oneof(
        { weight: 60, arbitrary: fc.constant('HTTP/1.1') },
        fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', ''),
      ),
      type: fc.oneof(
        { weight: 8, arbitrary: fc.constant('application/json') },
        fc.constantFrom(
          undefined,
          '',
          'text/plain',
          'application/json; charset=utf-16',
          'multipart/form-data; boundary=x',
        ),
      ),
      accept: fc.constantFrom('*/*', 'application/json', 'text/html', 'application/json, text/event-stream'),
      extra: fc.oneof(
        { weight: 3, arbitrary: fc.constant<[string, string][]>([]) },
        fc.array(header, { maxLength: 3 }),
      ),
      paid: fc.option(paymentHeader(payments)),
      content: verb === 'POST' ? body(payments, path) : fc.oneof(fc.constant(Buffer.alloc(0)), body(payments, path)),
      how: framing as fc.Arbitrary<Framing>,
      many: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 4 })),
      cuts: fc.oneof(
        { weight: 3, arbitrary: fc.constant<number[]>([]) },
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      ),
      ending: fc.oneof(
        { weight: 8, arbitrary: fc.constant('wait' as const) },
        fc.constantFrom('close' as const, 'reset' as const),
      ),
      truncated: fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
    }),
  );
  return chosen.map(
    ({ verb, hosted, path, version, type, accept, extra, paid, content, how, many, cuts, ending, truncated }) => {
      const { lines, bytes } = frame(how, content);
      const head = [
        `${verb} ${path} ${version}`,
        ...(hosted ? ['Host: truefill.test'] : []),
        `Accept: ${accept}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ...lines,
        ...(paid === null ? [] : [`PAYMENT-SIGNATURE: ${paid}`]),
        ...extra.map(([name, value]) => `${name}: ${value}`),
      ].join('\r\n');
      const one = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
      const all = Buffer.concat(Array.from({ length: many }, () => one));
      const sent = all.subarray(0, Math.ceil(all.length * truncated));
      // Who sends half a request waits for no answer.
      const whole = truncated === 1 && (how === 'length' || how === 'chunked' || how === 'trailers');
      return {
        // A finding is read as it went over the wire.
        [fc.toStringMethod]: () =>
          `${ending} ${JSON.stringify(cuts)} ${JSON.stringify(sent.toString('latin1').slice(0, 3_000))}`,
        bytes: sent,
        cuts: [...cuts].sort((left, right) => left - right),
        ending: whole || ending === 'reset' ? ending : 'close',
        requests: many,
        method: verb,
        target: path,
        accept: [accept, ...extra.filter(([name]) => /^accept$/i.test(name)).map(([, value]) => value)].join(),
      };
    },
  );
}
