import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, zeroAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { kinds } from '../kinds.ts';
import type { Slot } from '../slot.ts';

export interface V4PoolKey<A extends Address = Address> {
  currency0: A;
  currency1: A;
  fee: number;
  tickSpacing: number;
  hooks: A;
}

/** The key of the pool that a slot asked for; on a native slot the wrapped token stands for currency 0x0. */
export function toPoolKey(
  slot: Slot,
  tokens: readonly [LowerAddress, LowerAddress],
  wrappedNative: LowerAddress,
): V4PoolKey<LowerAddress> {
  const [a, b] = tokens.map((token) =>
    slot.kind === kinds.v4Native && token === wrappedNative ? zeroAddress : token,
  ) as [LowerAddress, LowerAddress];
  const [currency0, currency1] = a < b ? [a, b] : [b, a];
  return { currency0, currency1, fee: slot.fee, tickSpacing: slot.tickSpacing, hooks: slot.hooks };
}

/** The key as answers contain it. */
export function toChecksummedKey({ currency0, currency1, hooks, ...key }: V4PoolKey): V4PoolKey {
  return {
    currency0: getAddress(currency0),
    currency1: getAddress(currency1),
    ...key,
    hooks: getAddress(hooks),
  };
}

/** Bits of a hook's address that let it touch a swap (v4-core, Hooks.sol): before, after, and their deltas. */
const swapPermissions = 0xccn;

export const hasSwapHook = (hooks: Address): boolean => (BigInt(hooks) & swapPermissions) !== 0n;

/** keccak256(abi.encode(key)), the id that v4's Initialize event carries. */
export function poolIdOf({ currency0, currency1, fee, tickSpacing, hooks }: V4PoolKey): Hex {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }, { type: 'int24' }, { type: 'address' }],
      [currency0, currency1, fee, tickSpacing, hooks],
    ),
  );
}
