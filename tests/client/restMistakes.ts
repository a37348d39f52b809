import { quoteInput } from '../surfaces/serveFakes.ts';
import { type Mistake, usdc, weth } from './mistake.ts';

type Send = (path: string, body: unknown, init?: RequestInit) => Mistake['message'];

/** @param rest returns the message of a REST error: its detail and its issues */
export function restMistakes(rest: Send): Mistake[] {
  const quote = (changed: object) => rest('/v1/quote', { ...quoteInput, ...changed });
  const rows: [Mistake['mistake'], Mistake['message'], Mistake['seen'], Mistake['toDo']][] = [
    ['sizeIn as a number', quote({ sizeIn: 2.5 }), /Got 2\.5 \(number\)/, /decimal as a JSON string/],
    ['a size of zero', quote({ sizeIn: '0' }), /Got "0"/, /positive decimal/],
    ['an exponent', quote({ sizeIn: '1e18' }), /Got "1e18"/, /no exponent/],
    ['a comma', quote({ sizeIn: '1,5' }), /Got "1,5"/, /such as "1500" or "0\.25"/],
    ['no size', rest('/v1/quote', { tokenIn: weth, tokenOut: usdc }), /both missing/, /Send one of them/],
    ['no tokenOut', rest('/v1/quote', { tokenIn: weth, sizeIn: '1' }), /It is missing/, /0x and 40 hexadecimal/],
    ['a symbol', quote({ tokenIn: 'WETH' }), /Got "WETH"/, /0x and 40 hexadecimal/],
    ['a short address', quote({ tokenIn: weth.slice(0, -1) }), /Got "0x4200/, /40 hexadecimal/],
    ['the same token twice', quote({ tokenOut: weth }), /both are 0x4200/, /differ from tokenIn/],
    ['an unknown chain', quote({ chain: 'solana' }), /Got "solana"/, /one of: base, polygon/],
    ['an unknown field', quote({ slippage: 1 }), /Unknown property/, /remove it/],
    ['a check on Polygon', rest('/v1/pretrade/check', { token: weth, chain: 'polygon' }), /polygon/, /send base/],
    ['broken JSON', rest('/v1/quote', '{"tokenIn": '), /not valid JSON/, /like exampleRequest/],
    [
      'a form',
      rest('/v1/quote', 'tokenIn=0x', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      /x-www-form-urlencoded/,
      /application\/json/,
    ],
    ['an array', rest('/v1/quote', [quoteInput]), /Got an array/, /must be a JSON object/],
    ['a body of 20 KiB', rest('/v1/quote', 'x'.repeat(20_480)), /exceeds 16384 bytes/, /smaller/],
    ['GET', rest('/v1/quote', undefined, { method: 'GET' }), /GET is not served/, /Send POST/],
    ['a misspelt path', rest('/v1/qoute', quoteInput), /\/v1\/qoute/, /Use a path listed in/],
    [
      'no payment',
      rest('/v1/quote', quoteInput, { headers: { 'content-type': 'application/json' } }),
      /costs 0\.02 USD/,
      /Sign one of accepts/,
    ],
  ];
  return rows.map(([mistake, message, seen, toDo]) => ({ mistake, message, seen, toDo }));
}
