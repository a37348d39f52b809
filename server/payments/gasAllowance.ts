import type { PaymentLedger } from './ledger/ledgerTypes.ts';
import type { PaymentLogger } from './paymentConfig.ts';

/** The gas budget of contract wallets, in millionths of a US dollar. */
export interface GasAllowance {
  /** @returns milliseconds until the amount is available; undefined when it was taken */
  take(amount: number): Promise<number | undefined>;
  /** Returns an unspent or earned amount. Never throws: the budget refills within an hour anyway. */
  giveBack(amount: number): Promise<void>;
}

/**
 * One budget for all contract wallets, on all networks and replicas: wallets are free to make, so a budget for each would
 * limit nothing.
 */
export function createGasAllowance(
  ledger: Pick<PaymentLedger, 'takeGas' | 'returnGas'>,
  usdPerHour: number,
  logger: PaymentLogger,
): GasAllowance {
  const budget = { class: 'contract wallets', perHour: Math.round(usdPerHour * 1_000_000) };
  return {
    take: (amount) => ledger.takeGas(budget, amount),
    giveBack: (amount) =>
      ledger.returnGas(budget, amount).catch((err) => logger.error({ err }, 'A gas budget could not be updated')),
  };
}
