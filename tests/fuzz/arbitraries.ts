import fc from 'fast-check';
import type { Address, Hex } from 'viem';

const hexDigit = fc.constantFrom(...'0123456789abcdefABCDEF');

export const hexOf = (digits: number): fc.Arbitrary<Hex> =>
  fc.string({ unit: hexDigit, minLength: digits, maxLength: digits }).map((text): Hex => `0x${text}`);

export const address: fc.Arbitrary<Address> = hexOf(40);

/** Boundary values of words, doubles and signed integers, and any other number. */
export const uint256 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc
    .tuple(fc.constantFrom(0n, 8n, 31n, 32n, 53n, 63n, 64n, 128n, 255n, 256n), fc.constantFrom(-1n, 0n, 1n))
    .map(([bits, off]) => 2n ** bits + off)
    .filter((value) => value >= 0n && value < 2n ** 256n),
);

/** Hostile text: lone surrogates, combining marks, bidi controls, markup, terminal sequences. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '\u001b[2J',
        '\u202e',
        '\u0000',
        '\r\n',
        '\u2028',
        '\ud800',
        '\udc00',
        'e\u0301\u0301\u0301',
        '\u{e0041}',
        '<img src=x onerror=alert(1)>',
        '"\'`&',
        '\ufeff',
        '\u200d',
        '\u{1f469}\u200d\u{1f680}',
        '﷽',
        '__proto__',
        '\u0085',
        '\u007f',
        'a',
        ' ',
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
);

/** Property names of Object.prototype and others that cause bugs. */
export const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '',
);

/** Any JSON, also with hostile keys; `__proto__` is an own key, as JSON.parse creates it. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc
    .array(fc.tuple(fc.oneof(hostileKey, fc.string({ maxLength: 8 })), fc.jsonValue({ maxDepth: 2 })), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
);

/** Valid and invalid decimals. */
export const sizeText = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.stringMatching(/^\d{0,40}$/))
    .map(([w, f]) => (f ? `${w}.${f}` : `${w}`)),
  fc.stringMatching(/^0\.\d{0,76}$/),
  fc.stringMatching(/^\d{0,80}$/),
  fc.constantFrom(
    '0',
    '00',
    '0.0',
    '-1',
    '+1',
    '1e3',
    '.5',
    '5.',
    '1.',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    ' 1',
    '1\n',
    '１',
    '1_0',
    '',
  ),
  fc.string({ maxLength: 12 }),
);
