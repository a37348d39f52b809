import { z } from 'zod';
import { addressOrNull, amount, countOrNull, note, percent, textOrNull, yesNo } from './pretradeFields.ts';

export const identityBlock = z
  .object({
    name: textOrNull(
      'As the token contract returns it, without control characters and direction marks, at most 64 characters.',
    ),
    symbol: textOrNull('The symbol, sanitized like the name, at most 32 characters.'),
    decimals: countOrNull('Decimal places of an amount, as the token contract returns them.'),
    totalSupply: amount('The supply in whole tokens, rounded to what a JSON number holds.'),
    totalSupplyRaw: z
      .string()
      .regex(/^\d+$/)
      .nullable()
      .meta({ description: 'The same in base units, unrounded, as a decimal string.' }),
    note,
  })
  .meta({ description: 'Name, symbol, decimals and supply that the token contract returns at this block.' });

export const valuationBlock = z
  .object({
    fdvExecutableUsd: amount('Fully diluted value in US dollars, at the price that the requested size executes at.'),
    basis: textOrNull('The formula.'),
    note,
  })
  .meta({ description: 'What the whole supply would be worth at the executable price.' });

export const ownershipBlock = z
  .object({
    ownerAddress: addressOrNull('What owner() or getOwner() answers.'),
    ownerRenounced: yesNo(
      'Whether that is an address without a known key. null: no owner() answered, which is not renounced.',
    ),
    isMintable: yesNo(
      'Whether a simulated call by a privileged account mints or raises a balance. null: not every function could be tried and judged.',
    ),
    creatorAddress: addressOrNull('Who is said to have created it: a candidate, not a proven deployer.'),
    creatorBalance: amount('What the creator holds, in whole tokens, read at the block.'),
    creatorSharePct: percent('What the creator has of the supply.'),
    note,
  })
  .meta({ description: 'Who can change the token, and what the creator holds.' });

export const dormancyBlock = z
  .object({
    topHolderIdleDays: amount('Days since the largest wallet last sent any of it.'),
    lastTopHolderMoveBlock: countOrNull('Block height of that transfer.'),
    headBlock: countOrNull('Block height of this answer.'),
    note,
  })
  .meta({ description: 'How long the largest wallet has not sent any. Rests on the holders.' });

export const marketBlock = z
  .object({
    priceUsdSpot: amount(
      'US dollars a whole token: a spot print, not the price that an order gets. That is quote.executablePrice.',
    ),
    volume24hUsd: amount('Traded in the last 24 hours, in US dollars.'),
    marketCapUsd: amount('Market capitalisation in US dollars.'),
    holderCount: countOrNull('Wallets that hold it, as the vendor says.'),
    note,
  })
  .meta({ description: 'Third-party numbers, republished as they are. None is measured here.' });

/** One entry per response leaf, by its path; lists end in `[]`. */
export const sourcesBlock = z
  .object({ note })
  .catchall(
    z
      .string()
      .regex(/^(?:measured$|derived: |vendor: |unavailable: (?:not found|read failed|not requested): )/)
      .meta({ description: 'Where the value at this path comes from.' }),
  )
  .meta({
    description:
      'Where each value comes from, by its path (risk_profile.age.ageDays, flags.F-LIQ.severity, reasons[]): measured, derived: …, vendor: …, or unavailable: with not found, read failed or not requested, and the reason.',
  });
