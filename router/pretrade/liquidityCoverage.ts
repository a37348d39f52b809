import { z } from 'zod';
import { count, countOrNull, yesNo } from './pretradeFields.ts';

/** Coverage of the search for exit liquidity. */
export const liquidityCoverage = z
  .object({
    conclusive: z.boolean().meta({
      description:
        'true: every venue was read, or the measured exit liquidity already exceeds 5 % of the size. false: the exit triggers are not raised.',
    }),
    poolsFound: countOrNull(
      'Pools found on covered factories, measured or not. null: the search did not run, which is not zero.',
    ),
    factoriesChecked: count('Factories that were queried. 0: the search did not run.'),
    unmeasuredVenues: count('Venues that hold the token and cannot be measured.'),
    unmeasuredVenueNames: z.array(z.string()).meta({ description: 'Their names.' }),
    venuesUnread: countOrNull('Venues that did not answer on this call; their pools are not counted.'),
    singletonPoolsSeen: countOrNull('Pools of the token found in singletons, hooked ones included.'),
    singletonPoolsCounted: countOrNull(
      'Of these, pools whose simulated sale brought something; their proceeds are inside exitLiquidityUsd.',
    ),
    singletonPoolsRejected: countOrNull('Of these, pools whose simulated sale the chain rejected.'),
    singletonPoolsHooked: countOrNull('Of these, pools whose hook has a say in swaps.'),
    singletonScanTruncated: yesNo('true: singleton pools of the token were left out or not counted.'),
    asOfBlockFirst: countOrNull('Base block height when the liquidity reads began.'),
    asOfBlock: countOrNull(
      'Base block height when they ended. Equal to asOfBlockFirst: all was read inside one block and can be read there again.',
    ),
  })
  .meta({ description: 'How far the search for an exit reached.' });
