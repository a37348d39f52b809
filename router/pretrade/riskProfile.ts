import { z } from 'zod';
import { outcomeMeanings, outcomes, patternMeanings, type RiskProfile } from '../../engine/index.ts';
import { amount, countOrNull, note, percent, text, textOrNull, yesNo } from './pretradeFields.ts';

const age = z
  .object({
    ageDays: amount('Days since the first transfer, at the time of the block.'),
    genesisBlock: countOrNull('Block height of the first transfer.'),
    note,
  })
  .meta({ description: 'Age of the token since its first transfer.' });

const concentration = z
  .object({
    top1SharePct: percent('Share of the supply of the largest holder, pools and burn addresses included.'),
    top10SharePct: percent('Share of the supply of the ten largest holders, pools and burn addresses included.'),
    holders: countOrNull('Number of holders that the source reports.'),
    holdersExact: countOrNull('Exact number of holders; null if unavailable.'),
    source: textOrNull(
      'Source of the list of holders. This service reads their balances and the supply from the chain.',
    ),
    asOfBlock: countOrNull('Block height at which balances and supply were read.'),
    ageSec: amount('Seconds since the measurement. null with stale false: measured in this call.'),
    stale: yesNo(
      'Whether these are stored values. true: the source of holders is unavailable, and these are its last values. null: there are none.',
    ),
    note,
  })
  .meta({ description: 'Distribution of the supply among holders. Never affects the verdict.' });

const liquidity = z
  .object({
    poolCount: countOrNull('Pools of the token on covered venues, empty ones included.'),
    venueCount: countOrNull('Number of venues of these pools.'),
    largestPoolSharePct: percent('Share of exitLiquidityUsd in the largest pool.'),
    exitLiquidityUsd: amount(
      'US dollar value that simulated sales receive from the pools until the price has fallen to 1/100, before taxes of the token. null: nothing was found but not every venue could be measured, or the pools pay in assets without a known price.',
    ),
    note,
  })
  .meta({ description: 'Pools of the token and their exit liquidity.' });

const oracle = z
  .object({
    source: textOrNull('Kind and address of the price feed. null: none is known for this token.'),
    deviationBps: amount(
      'Deviation of the mid price of the deepest pool from the feed: (mid / feed - 1) in basis points, signed.',
    ),
    stalenessSec: amount('Seconds from the last update of the feed to the block.'),
    note,
  })
  .meta({ description: 'Comparison with an independent price feed, if one exists.' });

const listMeanings = (meanings: Readonly<Record<string, string>>) =>
  Object.entries(meanings)
    .map(([word, meaning]) => `${word}: ${meaning}.`)
    .join(' ');

const transferability = z
  .object({
    sellTaxRaw: amount(
      "Tax of a simulated sale as a fraction: 0.05 is 5 %. The sale is a minute (60 to 71 simulated blocks) after the purchase, if a sale works then. The tax is the part that the token and the pool's hook take, including a hook's fee above 3 %. The pool's own fee and the price impact are not part of it. Negative if the recipient gets more than was sent.",
    ),
    buyTaxRaw: amount('Tax of a simulated purchase as a fraction, defined and signed like sellTaxRaw.'),
    roundTripPct: amount(
      'Percent of the USDC spent that a wallet gets back, all fees and taxes included, if it buys the size and sells all of it in the next block. 0: that sale is refused. null: not simulated.',
    ),
    hasBlacklist: yesNo(
      'Whether a simulated call by a privileged account blocks the sales of a single holder. null: not every function could be tried and evaluated, or another contract decides about transfers.',
    ),
    hasMaxLimit: yesNo(
      'Whether a purchase or sale of up to ten times the size fails while a smaller one succeeds. null: not measured.',
    ),
    tradingEnabled: yesNo("Value of the token's own trading switch; without one, the result of simulated trades."),
    outcome: z.enum(outcomes).meta({
      description: `Result of the simulated trades of an ordinary wallet: the most severe that applies. ${listMeanings(outcomeMeanings)}`,
    }),
    fingerprints: text(
      `Patterns of the token's code and of simulated trades, joined by ", ". none: none was found. unknown: there is no code or it was not read, or neither code nor trades show anything. An outcome other than tradable and unknown is the first entry. ${listMeanings(patternMeanings)}`,
    ),
    note,
  })
  .meta({ description: 'Results of simulated purchases, transfers and sales at the block.' });

const sections = { age, concentration, liquidity, oracle, transferability } satisfies Record<
  keyof RiskProfile,
  z.ZodType
>;

/** Measurements of the token and its market. */
export const riskProfile = z.object(sections);
