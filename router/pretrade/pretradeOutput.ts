import { z } from 'zod';
import { type SignalName, severities, signalNames, triggerNames } from '../../engine/index.ts';
import {
  dormancyBlock,
  identityBlock,
  marketBlock,
  ownershipBlock,
  sourcesBlock,
  valuationBlock,
} from './contextBlocks.ts';
import { liquidityCoverage } from './liquidityCoverage.ts';
import { address, amount } from './pretradeFields.ts';
import { riskProfile } from './riskProfile.ts';

const confidence = z.enum(['high', 'medium', 'low']);

const signal = z.object({
  severity: z.enum(severities).meta({ description: 'unknown: could not be computed, and reason says why.' }),
  value: amount.meta({ description: 'What was measured, in unit; null when it could not be.' }),
  unit: z.string().meta({ description: 'What value counts: usd, percent, days, fraction, bps.' }),
  reason: z.string().meta({ description: 'In plain words.' }),
  cachedAgeSec: amount.meta({ description: 'Age of a stored value in seconds; null when read on this call.' }),
});

const signalMeaning: Record<SignalName, string> = {
  'F-LIQ': 'Liquidity: what a sale can reach, against the size.',
  'F-CONC': 'Concentration: how much the largest holders have.',
  'F-AGE': 'Age: how long the token has been moving.',
  'F-FOT': 'Fee on transfer: what simulated trades were taxed.',
  'O-SANITY': 'Oracle sanity: how far the pools are from an independent feed.',
};

const signals = Object.fromEntries(
  signalNames.map((name) => [name, signal.meta({ description: signalMeaning[name] })]),
) as Record<SignalName, typeof signal>;

const quote = z
  .object({
    direction: z.string().meta({ description: 'USDC->token: what buying it costs.' }),
    tokenIn: address.meta({ description: 'USDC. Checksummed.' }),
    tokenOut: address.meta({ description: 'The token. Checksummed.' }),
    executablePrice: z.number().meta({ description: 'Tokens per USDC at the size, in whole units.' }),
    priceImpactBps: amount.meta({ description: 'Basis points against the mid, fees included; null without a mid.' }),
    depthAtSize: z.number().meta({
      description: 'How much USDC, in whole units, the market takes before the price falls 1 % below this one.',
    }),
    worstCaseSlippageBps: amount.meta({
      description: 'The impact in basis points if an identical order landed just before; null without a mid.',
    }),
    confidence: confidence.meta({ description: 'How far to rely on this quote.' }),
  })
  .nullable()
  .meta({ description: 'Executable quote, USDC to token, at sizeUSD. null when it cannot be priced.' });

/** The 200 body of a pre-trade check. */
export const pretradeOutput = z
  .object({
    chain: z.literal('base').meta({ description: 'The chain checked on.' }),
    token: address.meta({ description: 'Checksummed.' }),
    verdict: z.enum(['avoid', 'clear']).meta({
      description:
        'avoid: a listed trap was proven at the block. clear: none of them fired; neither a safety rating nor a prediction.',
    }),
    triggers: z
      .array(z.enum(triggerNames))
      .meta({ description: 'What made it avoid; empty on clear. Nothing else can.' }),
    confidence: confidence.meta({
      description: 'On avoid: in the trigger, always high. On clear: how complete the checks were.',
    }),
    reasons: z.array(z.string()).meta({ description: 'In plain words, gaps included.' }),
    risk_profile: riskProfile.meta({
      description: 'Structural facts, told as measured. None of them makes a verdict.',
    }),
    flags: z.object(signals).meta({ description: 'The five raw signals.' }),
    quote,
    sizeUSD: z.string().meta({ description: 'The size used, in US dollars.' }),
    disclaimer: z.string().meta({ description: 'Informational data, not financial advice.' }),
    ts: z.number().meta({ description: 'When it was computed, epoch milliseconds.' }),
    validUntil: z
      .number()
      .meta({ description: 'Until then the same question gets this very answer, epoch milliseconds.' }),
    coverage: z
      .object({
        axesExpected: z.number().int().meta({ description: 'Always five.' }),
        axesReporting: z.number().int().meta({ description: 'Of these, how many came to a result.' }),
      })
      .meta({ description: 'How many of the five axes came to a result.' }),
    liquidityCoverage,
    identity: identityBlock,
    valuation: valuationBlock,
    ownership: ownershipBlock,
    dormancy: dormancyBlock,
    market: marketBlock,
    sources: sourcesBlock,
  })
  .meta({ title: 'PretradeCheck', description: 'Is one of three traps proven at this block, and what was measured.' });

export type PretradeOutput = z.infer<typeof pretradeOutput>;
