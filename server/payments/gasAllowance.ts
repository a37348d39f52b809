import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { PaymentLogger } from './paymentConfig.ts';

/** The gas budget of contract wallets, in millionths of a US dollar. */
export interface GasAllowance {
  /** Takes an amount. @returns undefined if it was taken, otherwise milliseconds until it is available */
  take(amount: number): Promise<number | undefined>;
  /**
   * Returns an unspent amount, or adds the price of a settled payment. Never rejects: the budget refills within an hour anyway.
   */
  refund(amount: number): Promise<void>;
}

/**
 * One budget for all contract wallets, networks and replicas. A budget for each wallet would limit nothing, because
 * wallets are free to create.
 */
export function createGasAllowance(
  ledger: Pick<PaymentLedger, 'takeGas' | 'returnGas'>,
  usdPerHour: number,
  logger: PaymentLogger,
): GasAllowance {
  const budget = { class: 'contract wallets', perHour: Math.round(usdPerHour * 1_000_000) };
  return {
    take: (amount) => ledger.takeGas(budget, amount),
    refund: (amount) =>
      ledger.returnGas(budget, amount).catch((err) => logger.error({ err }, 'A gas budget could not be updated')),
  };
}
