import { type Address, getAddress, keccak256, toHex } from 'viem';

/** A fixed address for a contract without a canonical one. It is the same on every chain. */
export function derivedAddress(name: string): Address {
  return getAddress(`0x${keccak256(toHex(`truefill sandbox: ${name}`)).slice(-40)}`);
}
