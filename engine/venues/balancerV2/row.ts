import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds, noHooks } from '../kinds.ts';
import type { Slot } from '../slot.ts';

/** The vault keeps the tokens of all pools; the same address on every chain. */
export const balancerVault: LowerAddress = '0xba12222222228d8ba445958a75a0704d566bf2c8';

/**
 * A factory of Balancer v2's weighted pools. It returns no pool by its tokens: `weightedList.ts` reads those of all pools.
 * The first release computes every power with logarithms; later ones multiply for the exponents 1, 2 and 4.
 */
export interface BalancerV2Row {
  family: 'balancer-v2';
  venue: string;
  factory: LowerAddress;
  release: 'first' | 'later';
}

/** `fee` of a slot whose pools multiply for some exponents. */
export const fastPowers = 1;

/** The slot of a factory's pools. No look-up has it. */
export const toWeightedSlot = ({ family, venue, factory, release }: BalancerV2Row): Slot => ({
  family,
  venue,
  kind: kinds.weighted,
  factory,
  fee: release === 'later' ? fastPowers : 0,
  tickSpacing: 0,
  hooks: noHooks,
});
