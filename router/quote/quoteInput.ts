import { z } from 'zod';
import { chainWord } from './chainField.ts';
import { sizeString, tokenAddress } from './fields.ts';

/** 1.5 WETH to USDC on Base, both at their canonical addresses. */
export const quoteExampleRequest = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1.5',
  chain: 'base',
} as const;

// Zod runs a refinement only on a body without other issues unless told to: here the sender shall
// see everything at once, so both look at bodies that may be of any shape.
const always = { when: () => true };

/** The body of a quote request, exactly as the contract has it. Nothing is transformed: out is in. */
export const quoteInput = z
  .strictObject(
    {
      tokenIn: tokenAddress.meta({ description: 'The token sold. Either letter case.' }),
      tokenOut: tokenAddress.meta({ description: 'The token bought. Either letter case. Another one than tokenIn.' }),
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
    message: 'One of sizeIn and sizeUSD is required.',
  })
  .refine((body) => !isObject(body) || !sameAddress(body.tokenIn, body.tokenOut), {
    ...always,
    path: ['tokenOut'],
    message: 'Must be another token than tokenIn.',
  })
  .meta({
    title: 'QuoteRequest',
    description: 'What to sell, what to buy and how much. At least one of sizeIn and sizeUSD.',
    anyOf: [{ required: ['sizeIn'] }, { required: ['sizeUSD'] }],
    examples: [quoteExampleRequest],
  });

export type QuoteInput = z.infer<typeof quoteInput>;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sameAddress(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && a.toLowerCase() === b.toLowerCase();
}
