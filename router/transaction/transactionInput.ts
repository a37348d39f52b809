import { z } from 'zod';
import { familyNames } from '../../engine/index.ts';
import { chainWord } from '../quote/chainField.ts';
import { poolId, tokenAddress } from '../quote/fields.ts';
import { quoteExampleAnswer } from '../quote/quoteExample.ts';

/** The most legs of a transaction. The gas of a plan limits its legs to about 50 (`maxPlanGas` of the search). */
const maxLegs = 64;

/** More than a quote has. */
const maxFlags = 100;

const baseUnits = z
  .string('Must be a whole number as a JSON string, such as "1500000"; never a number.')
  .max(78, 'Must be at most 78 digits.')
  .regex(/^(?:0|[1-9]\d*)$/, 'Must be a whole number of base units without leading zeros.');

const leg = z.looseObject({
  dex: z.enum(familyNames, `Must be one of: ${familyNames.join(', ')}.`).meta({ description: "The quote's leg.dex." }),
  venue: z.string().max(64, 'Must be at most 64 characters.').meta({ description: "The quote's leg.venue." }),
  pool: poolId.meta({ description: "The quote's leg.pool." }),
  tokenIn: tokenAddress.meta({ description: 'The token that the leg sells.' }),
  tokenOut: tokenAddress.meta({ description: 'The token that the leg buys.' }),
  feePips: z.int().min(0).max(16_777_215).meta({ description: "The quote's leg.feePips." }),
  shareBps: z.int().min(0).max(10_000).meta({ description: "The quote's leg.shareBps." }),
  poolKey: z
    .object({
      currency0: tokenAddress.meta({
        description: 'The currency with the lower address; 0x0 is the native coin.',
        examples: [quoteExampleAnswer.tokenIn],
      }),
      currency1: tokenAddress.meta({
        description: 'The currency with the higher address.',
        examples: [quoteExampleAnswer.tokenOut],
      }),
      fee: z
        .int()
        .min(0)
        .max(16_777_215)
        .meta({ description: 'Fee of the key.', examples: [500] }),
      tickSpacing: z
        .int()
        .min(1)
        .max(32_767)
        .meta({ description: 'Tick spacing of the key.', examples: [10] }),
      hooks: tokenAddress.meta({
        description: 'The hook contract; 0x0 without a hook.',
        examples: ['0x0000000000000000000000000000000000000000'],
      }),
    })
    .optional()
    .meta({ description: "Only on uniswap-v4: the quote's leg.poolKey." }),
});

const { chain, tokenIn, tokenOut, amountIn, amountOut, route } = quoteExampleAnswer;

/** The example quote, as a transaction of an account. */
export const transactionExampleRequest = {
  ...{ chain, tokenIn, tokenOut, amountIn, amountOut, route },
  receiver: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  slippageBps: 50,
  deadline: 4_102_444_800,
} as const;

/** The body of a transaction request: a quote's fields, and how to execute it. */
export const transactionInput = z
  .strictObject(
    {
      chain: chainWord.meta({ description: "The quote's chain." }),
      tokenIn: tokenAddress.meta({ description: "The quote's tokenIn: the wrapped token for the native coin." }),
      tokenOut: tokenAddress.meta({ description: "The quote's tokenOut: the wrapped token for the native coin." }),
      amountIn: baseUnits.meta({ description: "The quote's amountIn, in base units." }),
      amountOut: baseUnits.meta({ description: "The quote's amountOut, in base units." }),
      route: z
        .looseObject({
          legs: z
            .array(leg)
            .max(maxLegs, `Must have at most ${maxLegs} legs.`)
            .meta({ description: "The quote's legs, in their order." }),
        })
        .meta({ description: "The quote's route. Members other than the fields of its legs are ignored." }),
      flags: z
        .array(
          z.looseObject({
            code: z
              .string()
              .max(64, 'Must be at most 64 characters.')
              .meta({ description: 'The code of the flag.', examples: ['ROUTE_GAS'] }),
          }),
        )
        .max(maxFlags, `Must have at most ${maxFlags} flags.`)
        .optional()
        .meta({
          description: "The quote's flags, or only their codes. ROUTER_DEPENDENT is refused, others are ignored.",
        }),
      receiver: tokenAddress.meta({ description: 'The account that receives tokenOut.' }),
      slippageBps: z.int().min(0).max(10_000).meta({
        description:
          'Slippage limit: the receiver gets at most this part less than amountOut, in basis points: 50 is 0.5 %.',
      }),
      deadline: z.int().min(1).meta({
        description:
          'Unix seconds after which the transaction reverts. Usually now + 1200; the example is far in the future.',
      }),
    },
    { error: (issue) => (issue.code === 'invalid_type' ? 'The body must be a JSON object.' : undefined) },
  )
  .meta({
    title: 'TransactionRequest',
    description: 'A quote, unchanged, and how to execute it.',
    examples: [transactionExampleRequest],
  });

export type TransactionInput = z.infer<typeof transactionInput>;
