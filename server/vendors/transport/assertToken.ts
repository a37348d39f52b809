import { type Address, isAddressEqual } from 'viem';
import { VendorUnavailableError } from '../ports.ts';

/**
 * An answer about another token is worse than none: it looks like one.
 * @throws {VendorUnavailableError} wrong-token
 */
export function assertToken(vendor: string, asked: Address, answered: Address): void {
  if (!isAddressEqual(asked, answered)) throw new VendorUnavailableError(vendor, 'wrong-token');
}
