import { z } from 'zod';
import { type SignalName, severities, triggerNames, units } from '../../engine/index.ts';
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
      severity: z.enum(severities).meta({ description: 'unknown: could not be computed; reason contains the cause.' }),
      value: amount(
        'The result, measured in `unit`; null if severity is unknown, or if no price feed exists for the axis.',
      ),
      unit: text(`Unit of value: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(units)}.`),
      reason: text('The evidence for the severity, or the reason why it is unknown.'),
      cachedAgeSec: amount(
        'Age of a stored measurement in seconds; null if it was made in this call, uses a fact that never changes (a first transfer), or has no value.',
      ),
    })
    .meta({ description });

const signals: Record<SignalName, ReturnType<typeof signalOf>> = {
  'F-LIQ': signalOf('Exit liquidity in US dollars; its severity depends on the size.'),
  'F-CONC': signalOf(
    'Share of the ten largest holders, excluding pools, burn addresses and the token itself, in percent.',
  ),
  'F-AGE': signalOf('Days since the first transfer.'),
  'F-FOT': signalOf(
    'Fee on transfer: the largest measured tax of purchases and sales as a fraction, including sales right after the purchase.',
  ),
  'O-SANITY': signalOf('Deviation of the pool mid price from a price feed, in basis points.'),
};

const quote = z
  .object({
    direction: text('Direction of the quote: from USDC to the token.'),
    tokenIn: address('The token that the quote sells: USDC.'),
    tokenOut: address('The token that the quote buys.'),
    executablePrice: z
      .number()
      .meta({ description: 'Whole tokens received per USDC at the full size, fees and taxes included.' }),
    priceImpactBps: amount(
      'Basis points by which the executable price is worse than the mid price; null without a mid price.',
    ),
    depthAtSize: z
      .number()
      .meta({ description: 'USDC that can be spent before the price falls 1 % below executablePrice.' }),
    worstCaseSlippageBps: amount(
      'Basis points by which the price is worse than the mid price if an identical order executes first; null without a mid price.',
    ),
    confidence: confidence.meta({ description: 'Confidence in this quote.' }),
  })
  .nullable()
  .meta({ description: 'Executable quote from USDC to the token at sizeUSD. null if it cannot be priced.' });

/** The 200 body of a pretrade check. */
export const pretradeOutput = z
  .object({
    chain: z.literal('base').meta({ description: 'The chain of the check.' }),
    token: address('The checked token, checksummed.'),
    verdict: z.enum(['avoid', 'clear']).meta({
      description:
        'avoid: a listed trap was proven at the block. clear: none of them was proven; this is neither a safety rating nor a prediction.',
    }),
    triggers: z
      .array(z.enum(triggerNames))
      .meta({ description: 'The proven traps; empty if the verdict is clear. Only these cause avoid.' }),
    confidence: confidence.meta({
      description:
        'For avoid always high. For clear: how complete the measurements are; low if an ordinary wallet’s simulated sale is refused.',
    }),
    reasons: z
      .array(z.string())
      .meta({ description: 'The reasons for verdict and confidence as sentences, missing measurements included.' }),
    risk_profile: riskProfile.meta({
      description: 'Measurements of the token and its market. Only `triggers` determines the verdict.',
    }),
    flags: z.object(signals).meta({ description: 'The raw signals.' }),
    quote,
    sizeUSD: z.string().meta({ description: 'The size used, in US dollars.' }),
    disclaimer: text('Informational data, not financial advice.'),
    ts: z.number().meta({ description: 'Time of computation, epoch milliseconds.' }),
    validUntil: z
      .number()
      .meta({ description: 'Until this time an equivalent request returns this answer, epoch milliseconds.' }),
    coverage: z
      .object({
        axesExpected: count('Number of axes.'),
        axesReporting: count('Number of axes (the signals of `flags`) whose severity is not unknown.'),
      })
      .meta({ description: 'Coverage of the axes: how many have a result.' }),
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
    description: 'The verdict on three traps at one block, and the measurements.',
  });

export type PretradeOutput = z.infer<typeof pretradeOutput>;
