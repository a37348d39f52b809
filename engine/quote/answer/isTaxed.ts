/** A loss of one unit counts as rounding if it is below half a basis point of the amount. */
const leastParts = 20_000n;

/** Whether a token deducted a tax from a transfer. Tokens that count shares lose a base unit to rounding; that is no tax. */
export const isTaxed = (sent: bigint, arrived: bigint): boolean =>
  arrived < sent - 1n || (arrived < sent && sent <= leastParts);
