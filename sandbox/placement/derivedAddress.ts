import { type Address, getAddress, keccak256, toHex } from 'viem';

/** An address for something that has none in the real world: stable, and the same on every chain. */
export function derivedAddress(name: string): Address {
  return getAddress(`0x${keccak256(toHex(`truefill sandbox: ${name}`)).slice(-40)}`);
}
