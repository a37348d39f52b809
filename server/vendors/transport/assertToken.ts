import { type Address, isAddressEqual } from 'viem';
import { VendorUnavailableError } from '../ports.ts';

/**
 * Rejects a response about another token.
 * @throws {VendorUnavailableError} wrong-token
 */
export function assertToken(vendor: string, requested: Address, returned: Address): void {
  if (!isAddressEqual(requested, returned)) throw new VendorUnavailableError(vendor, 'wrong-token');
}
