import { z } from 'zod';
import { amount, blockHeight, holds, note, percent } from './pretradeFields.ts';

const age = z
  .object({
    ageDays: amount.meta({ description: 'Days since the first transfer.' }),
    genesisBlock: blockHeight.meta({ description: 'Block of the first transfer.' }),
    note,
  })
  .meta({ description: 'How long the token has been moving.' });

const concentration = z
  .object({
    top1SharePct: percent,
    top10SharePct: percent,
    holders: amount.meta({ description: 'How many wallets hold it, as far as the source knows.' }),
    holdersExact: amount.meta({ description: 'The exact number; null unless it is known.' }),
    source: z
      .string()
      .nullable()
      .meta({ description: 'Who named the holders. Balances and supply are read by this service.' }),
    asOfBlock: blockHeight.meta({ description: 'The block at which balances and supply were read.' }),
    ageSec: amount.meta({ description: 'null with stale false: read on this call. A number: measured that long ago.' }),
    stale: z.boolean().nullable().meta({
      description:
        'true: the holder source is out, and the last known measurement stands here. null: there is no value at all.',
    }),
    note,
  })
  .meta({ description: 'Who holds how much. Never changes the verdict.' });

const liquidity = z
  .object({
    poolCount: amount.meta({ description: 'Pools from which a sale drew something.' }),
    venueCount: amount.meta({ description: 'Venues that these pools belong to.' }),
    largestPoolSharePct: percent.meta({ description: 'The largest pool, in percent of exitLiquidityUsd.' }),
    exitLiquidityUsd: amount.meta({
      description: 'The counter assets that sales can really draw, in US dollars: measured by simulated sales.',
    }),
    note,
  })
  .meta({ description: 'Where it can be sold.' });

const oracle = z
  .object({
    source: z.string().nullable().meta({ description: 'The feed; null when there is none.' }),
    deviationBps: amount.meta({ description: 'Pool mid against feed: (mid / feed - 1) in basis points.' }),
    stalenessSec: amount.meta({ description: 'Seconds since the feed was updated.' }),
    note,
  })
  .meta({ description: 'What an independent price feed says, where there is one.' });

const transferability = z
  .object({
    sellTaxRaw: amount.meta({
      description:
        'A fraction, 0.05 is 5 %, from a simulated sale; below zero when the token gives more than it takes.',
    }),
    buyTaxRaw: amount.meta({ description: 'A fraction, from a simulated purchase.' }),
    hasBlacklist: holds.meta({
      description: 'Whether the code can lock an address out; null when that could not be told.',
    }),
    hasMaxLimit: holds.meta({
      description: 'Whether the code limits a trade or a wallet; null when that could not be told.',
    }),
    tradingEnabled: holds.meta({ description: "What the token's own trading gate reads; null without one." }),
    outcome: z.string().meta({
      description: 'What an ordinary wallet can do, in a word, e.g. tradable, sale-blocked, size-limited, unknown.',
    }),
    fingerprints: z
      .string()
      .meta({ description: 'Patterns found in the code and proven by simulation; none when there are none.' }),
    note,
  })
  .meta({ description: 'What happened when it was bought, moved and sold in a simulation at the block.' });

/** Structural facts, told as measured. None of them makes a verdict. */
export const riskProfile = z.object({ age, concentration, liquidity, oracle, transferability });
