import { type CreatorSource, type FirstTransferSource, VendorUnavailableError } from '../ports.ts';

/** Who sent the transaction of the first transfer: with most tokens the deployer, so a candidate. null: it never moved. */
export function createLogCreator(firstTransfer: FirstTransferSource): CreatorSource {
  const { label } = firstTransfer;
  return {
    label,
    async fetchCreator(token, options) {
      const first = await firstTransfer.fetchFirstTransfer(token, options);
      if (!first) return null;
      if (!first.sender) throw new VendorUnavailableError(label, 'not-indexed');
      return { address: first.sender, source: label };
    },
  };
}
