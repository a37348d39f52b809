import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSize, toBaseUnits } from '../../engine/quote/parseSize.ts';
import { questionKey } from '../../engine/quote/questionKey.ts';
import { catalogue, RequestError } from '../../router/index.ts';
import { parseInput } from '../../router/parseInput.ts';
import { chainWord, toChainName } from '../../router/quote/chainField.ts';
import { sizeString } from '../../router/quote/fields.ts';
import type { QuoteInput } from '../../router/quote/quoteInput.ts';
import { toQuestion } from '../../router/quote/toQuestion.ts';
import { isProbe, parseJson } from '../../server/http/readBody.ts';
import { findRoute } from '../../server/http/routes.ts';
import { address, evilJson, sizeText, wildText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

/** What comes of it; undefined when it was refused by name. */
function named<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError);
    return undefined;
  }
}

/** A positive decimal without exponent, sign or leading zeros, at most 78 characters: the spec's words, done by hand. */
function isSize(text: string): boolean {
  if (text.length > 78 || !/^[0-9.]+$/.test(text)) return false;
  const [whole = '', fraction, ...more] = text.split('.');
  if (more.length > 0 || fraction === '' || whole === '') return false;
  if (whole.length > 1 && whole.startsWith('0')) return false;
  return /[1-9]/.test(text);
}

test('behavior: a size is taken exactly when the spec’s words take it', () => {
  fc.assert(
    fc.property(sizeText, (text) => {
      expect(sizeString.safeParse(text).success).toBe(isSize(text));
    }),
  );
});

const goodSize = sizeText.filter(isSize);

test('behavior: a size read and written again is the same number; cut to base units it is never more', () => {
  fc.assert(
    fc.property(goodSize, fc.nat(255), (text, decimals) => {
      const { mantissa, scale } = parseSize(text as `${number}`);
      const [whole = '', fraction = ''] = text.split('.');
      expect(mantissa * 10n ** BigInt(fraction.length - scale)).toBe(BigInt(whole + fraction));
      const { amount, cut } = toBaseUnits({ mantissa, scale }, decimals);
      const [told, said] = [amount * 10n ** BigInt(scale), mantissa * 10n ** BigInt(decimals)];
      expect(told <= said).toBe(true);
      expect(cut).toBe(told !== said);
      expect(said - told < 10n ** BigInt(scale)).toBe(true);
    }),
  );
});

const question = fc.record({
  tokenIn: address,
  tokenOut: address,
  sizeIn: goodSize,
  chain: fc.option(fc.constantFrom(...chainWord.options), { nil: undefined }),
});
const keyOf = (input: Omit<QuoteInput, 'sizeUSD'>) => questionKey(toQuestion(input));

test('behavior: spellings of one question have one key, other questions another', () => {
  fc.assert(
    fc.property(question, question, fc.nat(5), (one, other, zeros) => {
      const { sizeIn, tokenIn } = one;
      const again = {
        ...one,
        tokenIn: `0x${tokenIn.slice(2).toUpperCase()}` as const,
        sizeIn: (sizeIn.includes('.') ? sizeIn : `${sizeIn}.0`) + '0'.repeat(zeros),
        chain: toChainName(one.chain),
      };
      expect(keyOf(again)).toBe(keyOf(one));
      const same =
        one.tokenIn.toLowerCase() === other.tokenIn.toLowerCase() &&
        one.tokenOut.toLowerCase() === other.tokenOut.toLowerCase() &&
        toChainName(one.chain) === toChainName(other.chain) &&
        Number(one.sizeIn) === Number(other.sizeIn);
      if (!same) expect(keyOf(other)).not.toBe(keyOf(one));
    }),
  );
});

test('behavior: a chain word is one of nine, in its own letters, and its chain is a word of itself', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...chainWord.options, 'Base', 'BASE', 'base ', 'eip155:1', 'toString'), wildText),
      (text) => {
        const parsed = chainWord.safeParse(text);
        expect(parsed.success).toBe((chainWord.options as string[]).includes(text));
        if (parsed.success) expect(toChainName(toChainName(parsed.data))).toBe(toChainName(parsed.data));
      },
    ),
  );
});

const odd = fc.oneof(address, goodSize, sizeText, wildText, evilJson);
const body = fc.oneof(
  evilJson,
  fc.dictionary(fc.constantFrom('tokenIn', 'tokenOut', 'sizeIn', 'sizeUSD', 'chain', 'token', '__proto__', 'x'), odd),
);

test('error: RequestError is all that a body can make of the schema; what passes comes out as it went in', () => {
  const polluted = Object.getOwnPropertyNames(Object.prototype).length;
  fc.assert(
    fc.property(fc.constantFrom(...catalogue), body, (item, generated) => {
      const value: unknown = JSON.parse(JSON.stringify(generated));
      try {
        expect(parseInput(item, value)).toEqual(value);
      } catch (error) {
        expect(error).toBeInstanceOf(RequestError);
        const { issues = [] } = error as RequestError;
        expect(issues.length).toBeGreaterThan(0);
        for (const { path, message } of issues) expect([typeof path, message === '']).toEqual(['string', false]);
      }
    }),
  );
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(polluted);
});

const contentType = fc.oneof(
  fc.constantFrom(
    undefined,
    '',
    'application/json',
    'APPLICATION/JSON; charset="UTF-8"',
    'application/json;charset=utf-16',
  ),
  fc.constantFrom('text/json', ';', 'application/json;', 'application/json;;charset=utf-8;a=b', 'charset=utf-8'),
  wildText,
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
  evilJson.map((value) => Buffer.from(JSON.stringify(value))),
  fc.tuple(evilJson, fc.nat(20)).map(([value, cut]) => Buffer.from(JSON.stringify(value)).subarray(0, -cut)),
  fc.constantFrom('{', ' {} ', '{\n}', '\ufeff{}', '{}{}').map((text) => Buffer.from(text)),
);

test('error: RequestError is all that bytes can make of the JSON reader; a probe is nothing or an empty object', () => {
  fc.assert(
    fc.property(contentType, bytes, (type, sent) => {
      expect(isProbe(sent)).toBe(/^\s*(\{\s*\})?\s*$/.test(sent.toString('latin1')));
      const parsed = named(() => parseJson(type, sent));
      if (parsed !== undefined) expect(parsed).toEqual(JSON.parse(sent.toString('utf8').replace(/^\ufeff/, '')));
    }),
  );
});

test('behavior: a body of brackets only, as deep as a body may be, is refused by its schema', () => {
  fc.assert(
    fc.property(
      fc.nat(8_192),
      fc.constantFrom('[', '{"tokenIn":'),
      fc.constantFrom(...catalogue),
      (depth, open, item) => {
        const sent = Buffer.from(open.repeat(Math.floor(depth / open.length)));
        const whole = Buffer.concat([
          sent,
          Buffer.from(open === '[' ? ']'.repeat(depth) : `1${'}'.repeat(depth / open.length)}`),
        ]);
        const parsed = named(() => parseJson('application/json', whole));
        expect(named(() => parseInput(item, parsed))).toBeUndefined();
      },
    ),
  );
});

const spelling = fc.constantFrom('/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check', '/trpc/quote');
const twist = fc.constantFrom('%2f', '/', '\\', '%00', ';', '..', '/.', '%71', '#', ' ', ',quote', 'Q', '\u212a', '//');

test('behavior: only the documented spelling is a paid place; a twist anywhere makes it none', () => {
  fc.assert(
    fc.property(spelling, twist, fc.nat(20), (path, inserted, at) => {
      const where = Math.min(at, path.length);
      const route = findRoute(path.slice(0, where) + inserted + path.slice(where));
      expect(route?.kind).not.toBe('paid');
      expect(findRoute(path)?.kind).toBe('paid');
    }),
  );
});

test('finds a route or none for any target, and file names never climb', () => {
  const target = fc.oneof(
    fc.webPath(),
    wildText,
    fc.tuple(fc.constantFrom('/docs/', '/guides/', '/assets/'), wildText).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(target, (raw) => {
      const route = findRoute(raw);
      if (route?.kind === 'free' && raw.startsWith('/docs/')) expect(raw.split('?')[0]).not.toMatch(/\.\.\/|\/\.|%|\\/);
    }),
  );
});
