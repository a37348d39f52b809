import { z } from 'zod';
import { count, countOrNull, yesNo } from './pretradeFields.ts';

/** Coverage of the search for exit liquidity. */
export const liquidityCoverage = z
  .object({
    conclusive: z.boolean().meta({
      description:
        'true: every venue was read, or the measured exit liquidity is at least 5 % of the size. false: NO_EXIT_VENUE and EXIT_LIQUIDITY_DRAINED are not raised.',
    }),
    poolsFound: countOrNull(
      'Pools found on covered factories, measured or not. null: the search did not run; it does not mean zero.',
    ),
    factoriesChecked: count('Factories that were queried. 0: the search did not run.'),
    unmeasuredVenues: count('Venues that hold the token and cannot be measured.'),
    unmeasuredVenueNames: z.array(z.string()).meta({ description: 'Names of these venues.' }),
    venuesUnread: countOrNull('Venues that could not be read in this call; their pools are not counted.'),
    singletonPoolsSeen: countOrNull(
      'Pools of the token found in singleton contracts such as the Uniswap v4 PoolManager, pools with hooks included.',
    ),
    singletonPoolsCounted: countOrNull(
      'Of these, pools whose simulated sale returned an amount; exitLiquidityUsd includes their proceeds.',
    ),
    singletonPoolsRejected: countOrNull('Of these, pools whose simulated sale reverted.'),
    singletonPoolsHooked: countOrNull('Of these, pools whose hook is called on swaps.'),
    singletonScanTruncated: yesNo('true: some singleton pools of the token were skipped or not counted.'),
    asOfBlockFirst: countOrNull('Block height on Base when the liquidity reads began.'),
    asOfBlock: countOrNull(
      'Block height on Base when the liquidity reads ended. If it equals asOfBlockFirst, all reads are from one block and can be repeated there.',
    ),
  })
  .meta({ description: 'Coverage of the search for exit liquidity.' });
