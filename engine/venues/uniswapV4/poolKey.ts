import { type Address, encodeAbiParameters, getAddress, type Hex, zeroAddress } from 'viem';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../candidatePool.ts';
import { kinds } from '../kinds.ts';

export interface V4PoolKey<A extends Address = Address> {
  currency0: A;
  currency1: A;
  fee: number;
  tickSpacing: number;
  hooks: A;
}

/** The pool key of a candidate pool of two tokens. In a pool of the native coin, currency 0x0 replaces the wrapped token. */
export function toPoolKey(
  candidatePool: CandidatePool,
  tokens: readonly [LowerAddress, LowerAddress],
  wrappedNative: LowerAddress,
): V4PoolKey<LowerAddress> {
  const [a, b] = tokens.map((token) =>
    candidatePool.kind === kinds.v4Native && token === wrappedNative ? zeroAddress : token,
  ) as [LowerAddress, LowerAddress];
  const [currency0, currency1] = a < b ? [a, b] : [b, a];
  return {
    currency0,
    currency1,
    fee: candidatePool.fee,
    tickSpacing: candidatePool.tickSpacing,
    hooks: candidatePool.hooks,
  };
}

/** The key with checksummed addresses, as responses contain it. */
export function toChecksummedKey({ currency0, currency1, hooks, ...key }: V4PoolKey): V4PoolKey {
  return {
    currency0: getAddress(currency0),
    currency1: getAddress(currency1),
    ...key,
    hooks: getAddress(hooks),
  };
}

/** Permission bits of a hook's address (v4-core, Hooks.sol): before swap, after swap, and the return delta of each. */
export const swapPermissions = 0xccn;

export const hasSwapHook = (hooks: Address): boolean => (BigInt(hooks) & swapPermissions) !== 0n;

/** keccak256(abi.encode(key)): the pool id, as in v4's Initialize event. */
export function poolIdOf({ currency0, currency1, fee, tickSpacing, hooks }: V4PoolKey): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }, { type: 'int24' }, { type: 'address' }],
      [currency0, currency1, fee, tickSpacing, hooks],
    ),
  );
}
