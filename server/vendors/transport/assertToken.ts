import { type LowerAddress, VendorUnavailableError } from '../ports.ts';

/**
 * Rejects a response about another token.
 * @throws {VendorUnavailableError} wrong-token
 */
export function assertToken(vendor: string, requested: LowerAddress, returned: LowerAddress): void {
  if (requested !== returned) throw new VendorUnavailableError(vendor, 'wrong-token');
}
