import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSize, toBaseUnits } from '../../engine/quote/query/parseSize.ts';
import { queryKey } from '../../engine/quote/query/toQuoteQuery.ts';
import { catalogue, RequestError } from '../../router/index.ts';
import { parseInput } from '../../router/parseInput.ts';
import { chainWord, toChainName } from '../../router/quote/chainField.ts';
import { sizeString } from '../../router/quote/fields.ts';
import type { QuoteInput } from '../../router/quote/quoteInput.ts';
import { toQuery } from '../../router/quote/toQuery.ts';
import { isProbe, parseJson } from '../../server/http/readBody.ts';
import { findRoute } from '../../server/http/routes.ts';
import { address, hostileJson, hostileText, sizeText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

/** The result of `work`; undefined if it throws a RequestError. */
function resultOrRejected<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError);
    return undefined;
  }
}

/** A positive decimal without exponent, sign or leading zeros, at most 78 characters; independent of the schema. */
function isSize(text: string): boolean {
  if (text.length > 78 || !/^[0-9.]+$/.test(text)) return false;
  const [whole = '', fraction, ...more] = text.split('.');
  if (more.length > 0 || fraction === '' || whole === '') return false;
  if (whole.length > 1 && whole.startsWith('0')) return false;
  return /[1-9]/.test(text);
}

test('behavior: accepts a size if and only if it is a positive decimal of at most 78 characters', () => {
  fc.assert(
    fc.property(sizeText, (text) => {
      expect(sizeString.safeParse(text).success).toBe(isSize(text));
    }),
  );
});

const goodSize = sizeText.filter(isSize);

test('behavior: a parsed size keeps its value, and conversion to base units never rounds up', () => {
  fc.assert(
    fc.property(goodSize, fc.nat(255), (text, decimals) => {
      const { mantissa, scale } = parseSize(text as `${number}`);
      const [whole = '', fraction = ''] = text.split('.');
      expect(mantissa * 10n ** BigInt(fraction.length - scale)).toBe(BigInt(whole + fraction));
      const { amount, cut } = toBaseUnits({ mantissa, scale }, decimals);
      const [converted, exact] = [amount * 10n ** BigInt(scale), mantissa * 10n ** BigInt(decimals)];
      expect(converted <= exact).toBe(true);
      expect(cut).toBe(converted !== exact);
      expect(exact - converted < 10n ** BigInt(scale)).toBe(true);
    }),
  );
});

const query = fc.record({
  tokenIn: address,
  tokenOut: address,
  sizeIn: goodSize,
  chain: fc.option(fc.constantFrom(...chainWord.options), { nil: undefined }),
});
const keyOf = (input: Omit<QuoteInput, 'sizeUSD'>) => queryKey(toQuery(input));

test('behavior: equivalent requests share one key; different requests do not', () => {
  fc.assert(
    fc.property(query, query, fc.nat(5), (one, other, zeros) => {
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

test('behavior: accepts exactly nine chain names, case-sensitively; the canonical name parses to itself', () => {
  expect(chainWord.options).toHaveLength(9);
  fc.assert(
    fc.property(
      fc.oneof(fc.constantFrom(...chainWord.options, 'Base', 'BASE', 'base ', 'eip155:1', 'toString'), hostileText),
      (text) => {
        const parsed = chainWord.safeParse(text);
        expect(parsed.success).toBe((chainWord.options as string[]).includes(text));
        if (parsed.success) expect(toChainName(toChainName(parsed.data))).toBe(toChainName(parsed.data));
      },
    ),
  );
});

const odd = fc.oneof(address, goodSize, sizeText, hostileText, hostileJson);
const body = fc.oneof(
  hostileJson,
  fc.dictionary(fc.constantFrom('tokenIn', 'tokenOut', 'sizeIn', 'sizeUSD', 'chain', 'token', '__proto__', 'x'), odd),
);

test('error: returns an accepted body unchanged, or throws RequestError with issues', () => {
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
  hostileText,
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
  hostileJson.map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .tuple(hostileJson, fc.integer({ min: 1, max: 20 }))
    .map(([value, cut]) => Buffer.from(JSON.stringify(value)).subarray(0, -cut)),
  fc.constantFrom('{', ' {} ', '{\n}', '\ufeff{}', '{}{}').map((text) => Buffer.from(text)),
);

test('error: parses any bytes or throws RequestError; a probe is empty or an empty object', () => {
  fc.assert(
    fc.property(contentType, bytes, (type, sent) => {
      expect(isProbe(sent)).toBe(/^\s*(\{\s*\})?\s*$/.test(sent.toString('latin1')));
      const parsed = resultOrRejected(() => parseJson(type, sent));
      if (parsed !== undefined) expect(parsed).toEqual(JSON.parse(sent.toString('utf8').replace(/^\ufeff/, '')));
    }),
  );
});

test('error: the schema rejects a nested body of any depth that the size limit allows', () => {
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
        const parsed = resultOrRejected(() => parseJson('application/json', whole));
        expect(resultOrRejected(() => parseInput(item, parsed))).toBeUndefined();
      },
    ),
  );
});

const spelling = fc.constantFrom('/v1/quote', '/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check', '/trpc/quote');
const twist = fc.constantFrom('%2f', '/', '\\', '%00', ';', '..', '/.', '%71', '#', ' ', ',quote', 'Q', '\u212a', '//');

test('behavior: only the documented spelling of a path is a paid path', () => {
  fc.assert(
    fc.property(spelling, twist, fc.nat(20), (path, inserted, at) => {
      const where = Math.min(at, path.length);
      const route = findRoute(path.slice(0, where) + inserted + path.slice(where));
      expect(route?.kind).not.toBe('paid');
      expect(findRoute(path)?.kind).toBe('paid');
    }),
  );
});

test('security: finds no route for a file name that leaves its folder', () => {
  const target = fc.oneof(
    fc.webPath(),
    hostileText,
    fc.tuple(fc.constantFrom('/docs/', '/guides/', '/assets/'), hostileText).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(target, (raw) => {
      const route = findRoute(raw);
      const isFile = route?.kind === 'free' && /^\/(docs|guides|assets)\//.test(raw);
      if (isFile) expect(raw.split('?')[0]).not.toMatch(/\.\.\/|\/\.|%|\\/);
    }),
  );
});
