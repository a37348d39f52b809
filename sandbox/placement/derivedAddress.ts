import { type Address, getAddress, keccak256, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';

/** A fixed address for a contract without a canonical one. It is the same on every chain. */
export function derivedAddress(name: string): Address {
  return getAddress(`0x${keccak256(toHex(`truefill sandbox: ${name}`)).slice(-40)}`);
}

/** An account of the builder. It has a key, so that its transactions can be signed and executed on another node too. */
export function derivedAccount(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(toHex(`truefill sandbox account: ${name}`)));
}
