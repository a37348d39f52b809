import { z } from 'zod';
import { severities, signalNames, triggerNames } from '../../engine/index.ts';
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
  value: amount,
  unit: z.string().meta({ description: 'What value counts: usd, percent, days, fraction, bps.' }),
  reason: z.string(),
  cachedAgeSec: amount.meta({ description: 'Age of a stored value; null when read on this call.' }),
});

const quote = z
  .object({
    direction: z.string(),
    tokenIn: address,
    tokenOut: address,
    executablePrice: z.number(),
    priceImpactBps: amount,
    depthAtSize: z.number(),
    worstCaseSlippageBps: amount,
    confidence,
  })
  .nullable()
  .meta({ description: 'Executable quote, USDC to token, at sizeUSD. null when it cannot be priced.' });

/** The 200 body of a pre-trade check. */
export const pretradeOutput = z
  .object({
    chain: z.literal('base'),
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
    flags: z
      .object(
        Object.fromEntries(signalNames.map((name) => [name, signal])) as Record<
          (typeof signalNames)[number],
          typeof signal
        >,
      )
      .meta({ description: 'The five raw signals.' }),
    quote,
    sizeUSD: z.string().meta({ description: 'The size used, in US dollars.' }),
    disclaimer: z.string(),
    ts: z.number().meta({ description: 'When it was computed, epoch milliseconds.' }),
    validUntil: z
      .number()
      .meta({ description: 'Until then the same question gets this very answer, epoch milliseconds.' }),
    coverage: z
      .object({ axesExpected: z.number().int(), axesReporting: z.number().int() })
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
