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

// By default zod skips refinements when a body has other issues. Run them always, so that one response
// lists every issue; both accept bodies of any shape.
const always = { when: () => true };

/** The body of a quote request, exactly as in the contract. No transforms: the output equals the input. */
export const quoteInput = z
  .strictObject(
    {
      tokenIn: tokenAddress.meta({
        description: `The token sold: a contract on the chain, in either letter case. ${nativeCoin} is the native coin, quoted as its wrapped token.`,
      }),
      tokenOut: tokenAddress.meta({ description: 'The token bought: like tokenIn, but another token.' }),
      sizeIn: sizeString.optional().meta({
        description:
          'How much of tokenIn to sell, in whole tokens: "1.5" is one and a half. Digits beyond the token\'s decimals are cut off.',
      }),
      sizeUSD: sizeString
        .optional()
        .meta({ description: 'The size in US dollars. Takes precedence over sizeIn.', examples: ['2500'] }),
      chain: chainWord
        .optional()
        .meta({ description: 'The chain to quote on, independent of the network paid on. Base when omitted.' }),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'The body must be a JSON object.' : undefined) },
  )
  .refine((body) => !isObject(body) || body.sizeIn !== undefined || body.sizeUSD !== undefined, {
    ...always,
    path: ['sizeIn'],
    message: 'Give sizeIn or sizeUSD; neither is given.',
  })
  .refine((body) => findSameToken(body) === undefined, {
    ...always,
    path: ['tokenOut'],
    error: ({ input }) => findSameToken(input),
  })
  .meta({
    title: 'QuoteRequest',
    description: 'What to sell, what to buy and how much. At least one of sizeIn and sizeUSD.',
    // At least one is required. Expressed as `anyOf`, the rule would make generators type the body as unknown.
    not: { properties: { sizeIn: false, sizeUSD: false } },
    examples: [quoteExampleRequest],
  });

export type QuoteInput = z.infer<typeof quoteInput>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why tokenIn and tokenOut are the same token; undefined when they differ or cannot be compared. */
function findSameToken(body: unknown): string | undefined {
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
