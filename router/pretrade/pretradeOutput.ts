import { z } from 'zod';
import { type SignalName, severities, triggerNames } from '../../engine/index.ts';
import {
  dormancyBlock,
  identityBlock,
  marketBlock,
  ownershipBlock,
  sourcesBlock,
  valuationBlock,
} from './contextBlocks.ts';
import { liquidityCoverage } from './liquidityCoverage.ts';
import { address, amount, count, text } from './pretradeFields.ts';
import { riskProfile } from './riskProfile.ts';

const confidence = z.enum(['high', 'medium', 'low']);

const signalOf = (description: string) =>
  z
    .object({
      severity: z.enum(severities).meta({ description: 'unknown: could not be computed; reason gives the cause.' }),
      value: amount(
        'The result in the unit beside it; null if severity is unknown, or if no price feed exists for the axis.',
      ),
      unit: text('What value counts: usd, percent, days, fraction, bps.'),
      reason: text('The evidence for the severity, or why there is none.'),
      cachedAgeSec: amount(
        'Age of a stored measurement in seconds; null when it was made on this call, rests on a fact that never changes (a first transfer), or has no value.',
      ),
    })
    .meta({ description });

const signals: Record<SignalName, ReturnType<typeof signalOf>> = {
  'F-LIQ': signalOf('Exit liquidity against the size, in US dollars.'),
  'F-CONC': signalOf('Share of the ten largest holders, excluding pools, burn addresses and the token itself, in percent.'),
  'F-AGE': signalOf('Days since the first transfer.'),
  'F-FOT': signalOf('The larger of purchase and sale tax, as a fraction.'),
  'O-SANITY': signalOf('Pool mid against a price feed, in basis points.'),
};

const quote = z
  .object({
    direction: text('USDC->token.'),
    tokenIn: address('The token sold: USDC.'),
    tokenOut: address('The token bought.'),
    executablePrice: z
      .number()
      .meta({ description: 'Whole tokens received for one USDC, at the whole size, fees and taxes included.' }),
    priceImpactBps: amount('Executable price against the mid, in basis points; null without a mid.'),
    depthAtSize: z
      .number()
      .meta({ description: 'USDC that can be spent before the price falls 1 % below executablePrice.' }),
    worstCaseSlippageBps: amount(
      'Basis points below the mid if an identical order executes first; null without a mid.',
    ),
    confidence: confidence.meta({ description: 'Confidence in this quote.' }),
  })
  .nullable()
  .meta({ description: 'Executable quote, USDC to token, at sizeUSD. null when it cannot be priced.' });

/** The 200 body of a pretrade check. */
export const pretradeOutput = z
  .object({
    chain: z.literal('base').meta({ description: 'The chain that was read.' }),
    token: address('The token that was checked, checksummed.'),
    verdict: z.enum(['avoid', 'clear']).meta({
      description:
        'avoid: a listed trap was proven at the block. clear: none of them fired; neither a safety rating nor a prediction.',
    }),
    triggers: z
      .array(z.enum(triggerNames))
      .meta({ description: 'The proven traps; empty on clear. Only these lead to avoid.' }),
    confidence: confidence.meta({
      description: 'On avoid always high. On clear: how complete the checks were.',
    }),
    reasons: z.array(z.string()).meta({ description: 'The reasons as sentences, gaps included.' }),
    risk_profile: riskProfile.meta({
      description: 'Structural facts as measured. None of them determines the verdict.',
    }),
    flags: z.object(signals).meta({ description: 'The five raw signals.' }),
    quote,
    sizeUSD: z.string().meta({ description: 'The size used, in US dollars.' }),
    disclaimer: text('Informational data, not financial advice.'),
    ts: z.number().meta({ description: 'When it was computed, epoch milliseconds.' }),
    validUntil: z
      .number()
      .meta({ description: 'Until then the same request returns this answer, epoch milliseconds.' }),
    coverage: z
      .object({
        axesExpected: count('Number of axes.'),
        axesReporting: count('Number of axes with a result: the signals that are not unknown.'),
      })
      .meta({ description: 'How many of the five axes have a result.' }),
    liquidityCoverage,
    identity: identityBlock,
    valuation: valuationBlock,
    ownership: ownershipBlock,
    dormancy: dormancyBlock,
    market: marketBlock,
    sources: sourcesBlock,
  })
  .meta({
    title: 'PretradeCheck',
    description: 'Whether one of three traps is proven at this block, and the measurements.',
  });

export type PretradeOutput = z.infer<typeof pretradeOutput>;
