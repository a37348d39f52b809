import { z } from 'zod';
import { type FlagCode, familyNames, flagTable } from '../../engine/index.ts';
import { chainName } from './chainField.ts';
import { address, poolId } from './fields.ts';

const baseUnits = z.string().regex(/^(?:0|[1-9]\d*)$/);
const dex = z.enum(familyNames);

const poolKey = z
  .object({
    currency0: address.meta({
      description: 'The currency with the lower address; 0x0 is the native coin.',
      examples: ['0x0000000000000000000000000000000000000000'],
    }),
    currency1: address.meta({
      description: 'The currency with the higher address.',
      examples: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    }),
    fee: z.number().meta({
      description: 'Fee in hundredths of a basis point; 8388608 (0x800000) is a dynamic fee.',
      examples: [500],
    }),
    tickSpacing: z.number().meta({ description: 'Tick spacing of the pool.', examples: [10] }),
    hooks: address.meta({
      description: 'The hook contract; 0x0 without a hook.',
      examples: ['0x0000000000000000000000000000000000000000'],
    }),
  })
  .meta({ description: "Only on uniswap-v4: the pool's PoolKey for calls of the PoolManager." });

const leg = z.object({
  dex: dex.meta({ description: 'The family of the venue: exchanges with the same contract code.' }),
  venue: z.string().meta({ description: 'Name of the venue, e.g. aerodrome-slipstream.' }),
  pool: poolId.meta({ description: "The pool's address; on uniswap-v4 and balancer-v2 the 32-byte pool id." }),
  tokenIn: address.meta({ description: 'The token that this leg sells, checksummed.' }),
  tokenOut: address.meta({ description: 'The token that this leg buys, checksummed.' }),
  feePips: z.number().meta({ description: 'Fee in hundredths of a basis point: 500 is 0.05 %.' }),
  amountIn: baseUnits.meta({ description: 'Exact amount sent into the pool, in base units of tokenIn.' }),
  amountOut: baseUnits.meta({ description: 'Exact amount received from the pool, in base units of tokenOut.' }),
  shareBps: z.number().meta({
    description:
      'Share of this leg in the sales of its tokenIn by the whole route, in basis points. The shares of legs with the same tokenIn add up to 10000; the last of these legs sells the remainder.',
  }),
  poolKey: poolKey.optional(),
});

const route = z.object({
  dex: z
    .enum([...dex.options, 'mixed', 'none'])
    .meta({ description: 'The family of all legs; mixed if they differ; none without a route.' }),
  path: z.array(address).meta({ description: 'The distinct tokens from tokenIn to tokenOut. Empty without a route.' }),
  pools: z.array(poolId).meta({ description: 'The pool of each leg.' }),
  legs: z.array(leg).meta({
    description:
      'The swaps in an executable order. In a split route, several legs may sell the same token, so execute each leg with its own amountIn. Empty without a route.',
  }),
});

/** An open enumeration: a later version may add codes, and clients must accept them. */
const flagCode = (z.string() as unknown as z.ZodType<FlagCode | (string & {})>).meta({
  description: 'Stable code. Later versions may add codes.',
  examples: ['HIGH_IMPACT'],
  'x-extensible-enum': Object.keys(flagTable),
});

const flag = z
  .looseObject({
    code: flagCode,
    severity: z
      .enum(['info', 'warn', 'critical'])
      .meta({ description: 'Severity of the fact for a trader.', examples: ['warn'] }),
    message: z.string().meta({
      description: 'The flag as a sentence.',
      examples: ['The fill is 12.40 % worse than the mid price, fees included.'],
    }),
  })
  .meta({ description: 'A fact that affects this trade. Additional properties contain its details.' });

/** The 200 body of a quote. Amounts are decimal strings of base units. */
export const quoteOutput = z
  .object({
    chain: chainName.meta({ description: 'The chain of the quote.' }),
    tokenIn: address.meta({ description: 'Checksummed address; the wrapped token for the native coin.' }),
    tokenOut: address.meta({ description: 'Checksummed address; the wrapped token for the native coin.' }),
    amountIn: baseUnits.meta({
      description:
        'Base units of tokenIn that were priced. "0" if the size could not be converted to an amount; the flags contain the reason.',
    }),
    amountOut: baseUnits.meta({
      description:
        'Base units of tokenOut that the receiver gets if the full size is swapped through `route` at `blockNumber`.',
    }),
    executablePrice: z
      .number()
      .meta({ description: 'Whole tokens of tokenOut per whole tokenIn at the requested size. 0 without a route.' }),
    spotPrice: z
      .number()
      .nullable()
      .meta({ description: 'Mid price, without fees, of the deepest pool that qualifies; null without such a pool.' }),
    priceImpactBps: z.number().nullable().meta({
      description: '(1 - executablePrice / spotPrice) in basis points, fees included. Null if spotPrice is null.',
    }),
    depthAtSize: z.number().meta({
      description:
        'Whole tokens of tokenIn that can be sold before the price falls 1 % below executablePrice. A lower bound: a pool whose swaps cannot be computed counts only up to the executed amount.',
    }),
    worstCaseSlippageBps: z.number().nullable().meta({
      description:
        'priceImpactBps of this order if an identical order executes just before it; 10000 if this order can then not be filled.',
    }),
    route: route.meta({ description: 'The swaps that execute the size.' }),
    confidence: z
      .enum(['high', 'medium', 'low'])
      .meta({ description: 'Confidence in this quote. Below high, the flag CONFIDENCE names the rule that applied.' }),
    venuesConsidered: z.number().meta({
      description:
        'Number of venues that were read. Never read: Uniswap v4 pools whose unlisted hook acts on swaps or sets the fee; Balancer v2 pools other than weighted ones of releases 1 to 3 (none on Base).',
    }),
    flags: z.array(flag).meta({
      description: 'Facts that affect this trade. A quote with a route always has ROUTE_GAS.',
    }),
    blockNumber: z.string().regex(/^\d+$/).meta({ description: 'The block of all data in this answer.' }),
    decimals: z
      .object({
        in: z.number().meta({ description: 'Decimals of tokenIn.' }),
        out: z.number().meta({ description: 'Decimals of tokenOut.' }),
      })
      .meta({ description: "The tokens' decimals. 0 for an address with the flag NOT_A_TOKEN." }),
    disclaimer: z.string().meta({ description: 'Informational data, not financial advice.' }),
    ts: z.number().meta({ description: 'Time of computation, epoch milliseconds.' }),
    validUntil: z
      .number()
      .meta({ description: 'Until this time an equivalent request returns this answer, epoch milliseconds.' }),
  })
  .meta({ title: 'Quote', description: 'The executable fill of the full size at one block.' });

export type QuoteOutput = z.infer<typeof quoteOutput>;
