import { z } from 'zod';
import { defaultSizeUsd, nativeCoin } from '../../engine/index.ts';
import { chainWord } from '../quote/chainField.ts';
import { sizeString, tokenAddress } from '../quote/fields.ts';

/** WETH on Base, at a size of 1,000 USD. */
export const pretradeExampleRequest = {
  token: '0x4200000000000000000000000000000000000006',
  sizeUSD: '1000',
  chain: 'base',
} as const;

/** The body of a pretrade check, as in openapi.json. No transforms: the output equals the input. */
export const pretradeInput = z
  .strictObject(
    {
      token: tokenAddress.meta({
        description: `The token to check, in any letter case. For the native coin send its wrapped token. ${nativeCoin} is checked as an address without code.`,
      }),
      sizeUSD: sizeString.optional().meta({
        description: `The trade size in US dollars, for the quote in the answer and for the exit liquidity threshold. ${defaultSizeUsd} if omitted; sizeUSD in the answer is the size used.`,
      }),
      chain: chainWord.optional().meta({
        description: 'Must be Base (base or eip155:8453), the default. Any other chain returns 422.',
      }),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'The body must be a JSON object.' : undefined) },
  )
  .meta({
    title: 'PretradeRequest',
    description: 'The token to check, and the trade size.',
    examples: [pretradeExampleRequest],
  });

export type PretradeInput = z.infer<typeof pretradeInput>;
