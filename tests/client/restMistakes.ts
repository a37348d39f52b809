import { question } from '../surfaces/serveFakes.ts';
import { type Mistake, usdc, weth } from './mistake.ts';

/** @param rest the message of a REST error: its detail and its issues */
export const restMistakes = (
  rest: (path: string, body: unknown, init?: RequestInit) => Mistake['message'],
): Mistake[] => [
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
    seen: /both missing/,
    toDo: /Send one of them/,
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
    seen: /both are 0x4200/,
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
  {
    mistake: 'a misspelt path',
    message: rest('/v1/qoute', question),
    seen: /\/v1\/qoute/,
    toDo: /Use a path listed in/,
  },
  {
    mistake: 'no payment',
    message: rest('/v1/quote', question, { headers: { 'content-type': 'application/json' } }),
    seen: /costs 0\.02 USD/,
    toDo: /Sign one of accepts/,
  },
];
