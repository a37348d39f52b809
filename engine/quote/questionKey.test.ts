import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lowerAddresses, toLowerAddress } from '../lowerAddress.ts';
import { questionKey } from './questionKey.ts';
import type { QuoteQuestion } from './quoteTypes.ts';

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((hex) => toLowerAddress(`0x${hex}`));
const size = fc.stringMatching(/^[1-9][0-9]{0,8}(\.[0-9]{0,8}[1-9])?$/);
const question: fc.Arbitrary<QuoteQuestion> = fc.record({
  chain: fc.constantFrom('base', 'polygon', 'arbitrum'),
  tokenIn: address,
  tokenOut: address,
  size: fc.oneof(fc.record({ tokenIn: size }), fc.record({ usd: size })),
});
const zeros = fc.nat(6).map((count) => '0'.repeat(count));
const upper = (text: `0x${string}`) => `0x${text.slice(2).toUpperCase()}` as const;
const padded = (text: string, more: string) => (text.includes('.') ? text + more : `${text}.0${more}`);

test('default: letter case and trailing zeros do not change the key', () => {
  fc.assert(
    fc.property(question, zeros, (asked, more) => {
      const spelled = {
        chain: asked.chain,
        tokenIn: upper(asked.tokenIn),
        tokenOut: upper(asked.tokenOut),
        size:
          'usd' in asked.size ? { usd: padded(asked.size.usd, more) } : { tokenIn: padded(asked.size.tokenIn, more) },
      };
      expect(questionKey(lowerAddresses<QuoteQuestion>(spelled))).toBe(questionKey(asked));
    }),
  );
});

test('behavior: any other difference changes the key', () => {
  fc.assert(
    fc.property(question, question, (one, other) => {
      expect(questionKey(one) === questionKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  fc.assert(
    fc.property(question, size, (asked, another) => {
      const [inTokens, inUsd] = [{ tokenIn: another }, { usd: another }];
      expect(questionKey({ ...asked, size: inTokens })).not.toBe(questionKey({ ...asked, size: inUsd }));
      const turned = { ...asked, tokenIn: asked.tokenOut, tokenOut: asked.tokenIn };
      if (asked.tokenIn !== asked.tokenOut) expect(questionKey(turned)).not.toBe(questionKey(asked));
    }),
  );
});
