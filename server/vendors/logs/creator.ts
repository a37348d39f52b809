import { type CreatorSource, type FirstTransferSource, VendorUnavailableError } from '../ports.ts';

/** The sender of the first transfer's transaction, for most tokens the deployer. null: no transfers. */
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
