import { z } from 'zod';
import { outcomeMeanings, outcomes, type RiskProfile } from '../../engine/index.ts';
import { amount, countOrNull, note, percent, text, textOrNull, yesNo } from './pretradeFields.ts';

const age = z
  .object({
    ageDays: amount('Days since the first transfer, at the time of the block.'),
    genesisBlock: countOrNull('Block height of the first transfer.'),
    note,
  })
  .meta({ description: 'How long the token has been moving.' });

const concentration = z
  .object({
    top1SharePct: percent('What the largest holder has of the supply; pools and burn addresses count as holders.'),
    top10SharePct: percent('What the ten largest holders have of the supply.'),
    holders: countOrNull('How many wallets hold it, as far as the source knows.'),
    holdersExact: countOrNull('The exact number of wallets; null unless it is known.'),
    source: textOrNull('Who named the holders. Balances and supply are read by this service.'),
    asOfBlock: countOrNull('Block height at which balances and supply were read.'),
    ageSec: amount('Seconds since the measurement; null with stale false: read on this call.'),
    stale: yesNo(
      'true: the holder source is out, and the last known measurement stands here. null: there is no value at all.',
    ),
    note,
  })
  .meta({ description: 'Who holds how much. Never changes the verdict.' });

const liquidity = z
  .object({
    poolCount: countOrNull('Pools of the token on covered venues, empty ones included.'),
    venueCount: countOrNull('Venues that these pools are on.'),
    largestPoolSharePct: percent('What the largest pool has of exitLiquidityUsd.'),
    exitLiquidityUsd: amount(
      'The counter-assets that sales can really draw, in US dollars: simulated sales down to a hundredth of the price, before taxes of the token. null: nothing was found but not every venue could be measured, or the drainable liquidity is in assets without a known price.',
    ),
    note,
  })
  .meta({ description: 'Where it can be sold, and for how much.' });

const oracle = z
  .object({
    source: textOrNull('The feed: its kind and address. null: there is none for this token.'),
    deviationBps: amount('Mid of the deepest pool against the feed: (mid / feed - 1) in basis points, signed.'),
    stalenessSec: amount('Seconds since the feed was updated, at the time of the block.'),
    note,
  })
  .meta({ description: 'Price of an independent feed, where one exists.' });

const transferability = z
  .object({
    sellTaxRaw: amount(
      'A fraction, 0.05 is 5 %, from a simulated sale; below zero when the token gives more than it takes.',
    ),
    buyTaxRaw: amount('A fraction, 0.05 is 5 %, from a simulated purchase; signed like sellTaxRaw.'),
    hasBlacklist: yesNo(
      'Whether a simulated call by a privileged account blocks the sales of a single holder. null: not every function could be tried and judged.',
    ),
    hasMaxLimit: yesNo(
      'Whether the token refuses a purchase or sale of up to ten times the size where a smaller one works. null: not measured.',
    ),
    tradingEnabled: yesNo("What the token's own trading gate reads; without one, what simulated trades showed."),
    outcome: z.enum(outcomes).meta({
      description: `Simulated trades of an ordinary wallet in one word, the most severe that applies. ${Object.entries(
        outcomeMeanings,
      )
        .map(([word, meaning]) => `${word}: ${meaning}.`)
        .join(' ')}`,
    }),
    fingerprints: text(
      'Patterns found in the code and shown by simulation, joined by ", ". none: none was found. unknown: there is no code, or neither code nor trades could be read.',
    ),
    note,
  })
  .meta({ description: 'What happened when it was bought, moved and sold in a simulation at the block.' });

const sections = { age, concentration, liquidity, oracle, transferability } satisfies Record<
  keyof RiskProfile,
  z.ZodType
>;
/** Structural facts as measured. None of them determines the verdict. */
export const riskProfile = z.object(sections);
