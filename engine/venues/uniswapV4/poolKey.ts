import { type Address, encodeAbiParameters, type Hex, keccak256, zeroAddress } from 'viem';
import { kinds } from '../kinds.ts';
import type { Slot } from '../slot.ts';

export interface V4PoolKey {
  currency0: Address;
  currency1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
}

/** The key of the pool that a slot asked for; on a native slot the wrapped token stands for currency 0x0. */
export function toPoolKey(slot: Slot, tokens: readonly [Address, Address], wrappedNative: Address): V4PoolKey {
  const currencies = tokens.map((token) =>
    slot.kind === kinds.v4Native && token.toLowerCase() === wrappedNative.toLowerCase() ? zeroAddress : token,
  ) as [Address, Address];
  const [currency0, currency1] = currencies.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)) as [
    Address,
    Address,
  ];
  return { currency0, currency1, fee: slot.fee, tickSpacing: slot.tickSpacing, hooks: slot.hooks };
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
