import { z } from 'zod';
import { count, countOrNull, yesNo } from './pretradeFields.ts';

/** How far the search for an exit reached. */
export const liquidityCoverage = z
  .object({
    conclusive: z.boolean().meta({
      description: 'Whether stating that no exit exists is allowed. false does not mean that nothing was measured.',
    }),
    poolsFound: countOrNull('Pools found on covered factories. null: the search did not run, which is not zero.'),
    factoriesChecked: count('Factories that were asked. 0: no look at all.'),
    unmeasuredVenues: count('Venues that hold the token and cannot be measured.'),
    unmeasuredVenueNames: z.array(z.string()).meta({ description: 'Their names.' }),
    venuesUnread: countOrNull('Venues that did not answer on this call; above zero, a retry may tell more.'),
    singletonPoolsSeen: countOrNull('Pools of the token found in singletons, hooked ones included.'),
    singletonPoolsCounted: countOrNull(
      'Of these, pools whose simulated sale brought something; their proceeds are inside exitLiquidityUsd.',
    ),
    singletonPoolsRejected: countOrNull('Of these, pools whose simulated sale the chain rejected.'),
    singletonPoolsHooked: countOrNull('Of these, pools whose hook has a say in swaps.'),
    singletonScanTruncated: yesNo('true: the scan met its work cap and left pools out.'),
    asOfBlockFirst: countOrNull('Base block height when the liquidity reads began.'),
    asOfBlock: countOrNull(
      'Base block height when they ended. Equal to asOfBlockFirst: all was read inside one block and can be read there again.',
    ),
  })
  .meta({ description: 'How far the search for an exit reached.' });
