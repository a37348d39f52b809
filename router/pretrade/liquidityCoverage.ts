import { z } from 'zod';
import { amount, blockHeight } from './pretradeFields.ts';

/** How far the search for an exit reached. */
export const liquidityCoverage = z
  .object({
    conclusive: z.boolean().meta({
      description: 'Whether stating that no exit exists is allowed. false does not mean that nothing was measured.',
    }),
    poolsFound: amount.meta({ description: 'On covered factories. null: the search did not run, which is not zero.' }),
    factoriesChecked: z.number().int().meta({ description: '0: no look at all.' }),
    unmeasuredVenues: z.number().int().meta({ description: 'Venues that hold the token and cannot be measured.' }),
    unmeasuredVenueNames: z.array(z.string()).meta({ description: 'Their names.' }),
    venuesUnread: amount.meta({
      description: 'Venues that did not answer on this call; above zero, a retry may tell more.',
    }),
    singletonPoolsSeen: amount.meta({
      description: 'Pools of singleton AMMs found for the pair, hooked ones included.',
    }),
    singletonPoolsCounted: amount.meta({
      description: 'Pools whose simulated sale succeeded; their proceeds are inside exitLiquidityUsd.',
    }),
    singletonPoolsRejected: amount.meta({ description: 'Pools whose simulated sale the chain rejected.' }),
    singletonPoolsHooked: amount.meta({ description: 'Pools whose hook has a say in swaps.' }),
    singletonScanTruncated: z
      .boolean()
      .nullable()
      .meta({ description: 'true: the scan met its work cap and left pools out.' }),
    asOfBlockFirst: blockHeight.meta({ description: 'Height when the liquidity reads began; null: unreadable.' }),
    asOfBlock: blockHeight.meta({ description: 'Equal to asOfBlockFirst: all was read inside one block.' }),
  })
  .meta({ description: 'How far the search for an exit reached.' });
