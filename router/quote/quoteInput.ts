import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { nativeCoin, toLowerAddress, toToken } from '../../engine/index.ts';
import { chainWord, toChainName } from './chainField.ts';
import { sizeString, tokenAddress } from './fields.ts';

/** 1.5 WETH to USDC on Base, both at their canonical addresses. */
export const quoteExampleRequest = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1.5',
  chain: 'base',
} as const;

// By default zod skips refinements if a body has other issues. Both refinements accept any body, so they always run:
// one response then lists every issue.
const always = { when: () => true };

/** The body of a quote request, as in openapi.json. No transforms: the output equals the input. */
export const quoteInput = z
  .strictObject(
    {
      tokenIn: tokenAddress.meta({
        description: `The token to sell: a contract on the chain, in any letter case. ${nativeCoin} is the native coin, quoted as its wrapped token.`,
      }),
      tokenOut: tokenAddress.meta({
        description: 'The token to buy, in the format of tokenIn. Must differ from tokenIn.',
      }),
      sizeIn: sizeString.optional().meta({
        description:
          'The amount of tokenIn to sell, in whole tokens: "1.5" is one and a half. Digits beyond the token\'s decimals are ignored.',
      }),
      sizeUSD: sizeString
        .optional()
        .meta({ description: 'The size in US dollars. Takes precedence over sizeIn.', examples: ['2500'] }),
      chain: chainWord
        .optional()
        .meta({ description: 'The chain of the quote, independent of the payment network. Base if omitted.' }),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'The body must be a JSON object.' : undefined) },
  )
  .refine((body) => !isObject(body) || body.sizeIn !== undefined || body.sizeUSD !== undefined, {
    ...always,
    path: ['sizeIn'],
    message: 'sizeIn and sizeUSD are both missing. Send one of them.',
  })
  .refine((body) => sameTokenMessage(body) === undefined, {
    ...always,
    path: ['tokenOut'],
    error: ({ input }) => sameTokenMessage(input),
  })
  .meta({
    title: 'QuoteRequest',
    description: 'The tokens to sell and to buy, and the size. At least one of sizeIn and sizeUSD is required.',
    // Requires at least one of the two. As `anyOf`, this rule would make generators type the body as unknown.
    // `{ not: {} }` rather than `false`: generators crash on boolean schemas.
    not: { properties: { sizeIn: { not: {} }, sizeUSD: { not: {} } } },
    examples: [quoteExampleRequest],
  });

export type QuoteInput = z.infer<typeof quoteInput>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The message if tokenIn and tokenOut are the same token; undefined if they differ or cannot be compared. */
function sameTokenMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { tokenIn, tokenOut } = body;
  if (typeof tokenIn !== 'string' || typeof tokenOut !== 'string') return undefined;
  const [sold, bought] = [toLowerAddress(tokenIn as Address), toLowerAddress(tokenOut as Address)];
  if (sold === bought) return `Must differ from tokenIn; both are ${tokenIn.slice(0, 42)}.`;
  const word = chainWord.optional().safeParse(body.chain);
  if (!word.success) return undefined;
  const chain = toChainName(word.data);
  if (toToken(chain, sold) !== toToken(chain, bought)) return undefined;
  return `Must differ from tokenIn: ${nativeCoin} is the native coin, quoted as its wrapped token ${getAddress(toToken(chain, toLowerAddress(nativeCoin)))}. Wrapping is 1:1.`;
}
