import { z } from 'zod';
import { addressOrNull, amount, countOrNull, note, percent, textOrNull, yesNo } from './pretradeFields.ts';

export const identityBlock = z
  .object({
    name: textOrNull(
      'The name from the token contract, without control characters and direction marks, at most 64 characters.',
    ),
    symbol: textOrNull('The symbol from the token contract, sanitized like the name, at most 32 characters.'),
    decimals: countOrNull('Decimal places of an amount, from the token contract.'),
    totalSupply: amount('The supply in whole tokens, rounded to the precision of a JSON number.'),
    totalSupplyRaw: z
      .string()
      .regex(/^\d+$/)
      .nullable()
      .meta({ description: 'The exact supply in base units, as a decimal string.' }),
    note,
  })
  .meta({ description: 'Name, symbol, decimals and supply that the token contract returns at this block.' });

export const valuationBlock = z
  .object({
    fdvExecutableUsd: amount('Fully diluted value in US dollars, at the executable price of the requested size.'),
    basis: textOrNull('Formula of fdvExecutableUsd.'),
    note,
  })
  .meta({ description: 'Value of the whole supply at the executable price.' });

export const ownershipBlock = z
  .object({
    ownerAddress: addressOrNull('The address that owner() or getOwner() returns.'),
    ownerRenounced: yesNo(
      'Whether ownerAddress is an address without a known private key. null: neither function returned an address; it does not mean renounced.',
    ),
    isMintable: yesNo(
      'Whether a simulated call by a privileged account mints or raises a balance. null: not every function could be tried and evaluated.',
    ),
    creatorAddress: addressOrNull('The creator that a vendor reports: a candidate, not a proven deployer.'),
    creatorBalance: amount('Balance of the creator in whole tokens, read at the block.'),
    creatorSharePct: percent('Share of the supply of the creator.'),
    note,
  })
  .meta({ description: 'Owner powers, and the balance of the creator.' });

export const dormancyBlock = z
  .object({
    topHolderIdleDays: amount('Days since the largest wallet last sent the token.'),
    lastTopHolderMoveBlock: countOrNull('Block height of that transfer.'),
    headBlock: countOrNull('Block height of this answer.'),
    note,
  })
  .meta({ description: 'Time since the largest wallet last sent the token. Requires the list of holders.' });

export const marketBlock = z
  .object({
    priceUsdSpot: amount(
      'Spot price in US dollars per whole token. An order does not execute at this price; see quote.executablePrice.',
    ),
    volume24hUsd: amount('Trading volume of the last 24 hours in US dollars.'),
    marketCapUsd: amount('Market capitalisation in US dollars.'),
    holderCount: countOrNull('Number of holders that the vendor reports.'),
    note,
  })
  .meta({ description: 'Third-party numbers, republished unchanged. None is measured by this service.' });

/**
 * One entry for each leaf of the answer, by its path; paths of lists end in `[]`. The format of an entry is stated in words
 * and not as a pattern: client generators make one map of `note` and the entries, and would apply the pattern to `note`.
 */
export const sourcesBlock = z
  .object({ note })
  .catchall(z.string().meta({ description: 'Source of the value at this path.' }))
  .meta({
    description:
      'Source of each value, by its path (risk_profile.age.ageDays, flags.F-LIQ.severity, reasons[]): measured; derived, with the fields of this answer from which it is computed, and other causes after a semicolon; vendor: with its name; or unavailable: not found, read failed or not requested, with the reason. note explains the entries.',
    examples: [
      {
        note: 'One entry for each field of this answer.',
        'risk_profile.age.ageDays': 'vendor: blockscout',
        'flags.F-LIQ.severity': 'derived: risk_profile.liquidity.exitLiquidityUsd and sizeUSD',
        'reasons[]': 'derived: risk_profile, flags, liquidityCoverage and quote',
      },
    ],
  });
