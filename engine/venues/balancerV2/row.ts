import type { LowerAddress } from '../../lowerAddress.ts';

/**
 * Balancer v2's vault, which holds the tokens of all pools; the same address on every chain
 * (balancer/balancer-deployments).
 */
export const balancerVault: LowerAddress = '0xba12222222228d8ba445958a75a0704d566bf2c8';

/**
 * A factory of Balancer v2's weighted pools. It has no lookup by tokens, so `weightedList.ts` reads the tokens of all
 * pools. The first release computes every power with logarithms; later ones multiply for the exponents 1, 2 and 4.
 */
export interface BalancerV2Row {
  family: 'balancer-v2';
  venue: string;
  factory: LowerAddress;
  release: 'first' | 'later';
}
