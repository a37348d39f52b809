import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileJson, hostileKey, hostileText, sizeText } from '../arbitraries.ts';
import { type UnfundedPayments, unfundedPayment } from './unfundedPayment.ts';

const weth = '0x4200000000000000000000000000000000000006';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const goodQuote = { tokenIn: weth, tokenOut: usdc, sizeIn: '1.5' };
const goodCheck = { token: weth };

const oddValue = fc.oneof(
  hostileJson,
  sizeText,
  hostileText,
  fc.constantFrom(weth, usdc, weth.toUpperCase(), 'base', 'polygon', 'solana', 1.5, -0, Number.MAX_VALUE, 2 ** 53),
);
const json = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<unknown>(goodQuote, goodCheck, {}) },
  {
    weight: 4,
    arbitrary: fc
      .dictionary(
        fc.oneof(fc.constantFrom('tokenIn', 'tokenOut', 'sizeIn', 'sizeUSD', 'chain', 'token'), hostileKey),
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
  { weight: 1, arbitrary: hostileJson },
);

/** `_meta` of protocol revision 2026-07-28, often with a payment. */
const claim = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': fc.constantFrom<unknown>('2026-07-28', '2025-11-25', '2099-01-01', 7),
    'io.modelcontextprotocol/clientInfo': fc.constantFrom<unknown>({ name: 'a', version: '1' }, null),
    'io.modelcontextprotocol/clientCapabilities': fc.constantFrom<unknown>({}, [], null),
  },
  { requiredKeys: ['io.modelcontextprotocol/protocolVersion'] },
);
const rpcId = fc.oneof(fc.nat(9), fc.constantFrom<unknown>('a', null, -1, 1.5, {}, [], true, '__proto__'));
/** MCP messages, valid and invalid. */
function rpcMessage(payments: UnfundedPayments) {
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
        hostileText,
      ),
      arguments: fc.oneof(json, oddValue),
      _meta: fc.oneof(
        hostileJson,
        fc.oneof(unfundedPayment(payments), hostileJson).map((paid) => ({ 'x402/payment': paid })),
        fc
          .tuple(claim, fc.oneof(unfundedPayment(payments), hostileJson))
          .map(([claimed, paid]) => ({ ...claimed, 'x402/payment': paid })),
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
          'server/discover',
          'subscriptions/listen',
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
      params: fc.oneof({ weight: 4, arbitrary: call as fc.Arbitrary<unknown> }, hostileJson),
    },
    { requiredKeys: ['method'] },
  );
}

/** A request body for a path: nearly valid, or unrelated. */
export function requestBody(payments: UnfundedPayments, path: string): fc.Arbitrary<Buffer> {
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
