import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { balancerVault } from '../../venues/balancerV2/row.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { contractOf } from '../contractOf.ts';

/** Amount of a token that the weighted pools read so far hold in the vault. Pairs of one pool count once. */
export const heldInWeighted =
  (pools: readonly Pool[]) =>
  (holder: LowerAddress, token: LowerAddress): bigint => {
    const held = new Map<Hex, bigint>();
    for (const { ref, state } of holder === balancerVault ? pools : []) {
      if (state.kind !== 'weighted') continue;
      if (ref.token0 === token) held.set(contractOf(ref), state.balance0);
      if (ref.token1 === token) held.set(contractOf(ref), state.balance1);
    }
    return [...held.values()].reduce((sum, balance) => sum + balance, 0n);
  };
