import type { PaymentLogger } from './cashierConfig.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';

/** A gas budget for a class of payers, in millionths of a US dollar. */
export interface GasAllowance {
  /** @returns milliseconds until the amount is available; undefined when it was taken */
  take(amount: number): Promise<number | undefined>;
  /** Returns an unspent or earned amount. Never throws: the budget refills within an hour anyway. */
  giveBack(amount: number): Promise<void>;
}

/** Classes of payers that can make settlements fail at less than our cost. */
export type GasClass = 'contract wallets' | 'concurrent payments';

/**
 * One budget for all payers of a class, on all networks and replicas: wallets are free to make, so a budget for each
 * would limit nothing.
 */
export function createGasAllowance(
  payers: GasClass,
  ledger: Pick<PaymentLedger, 'takeGas' | 'returnGas'>,
  usdPerHour: number,
  logger: PaymentLogger,
): GasAllowance {
  const budget = { class: payers, perHour: Math.round(usdPerHour * 1_000_000) };
  return {
    take: (amount) => ledger.takeGas(budget, amount),
    giveBack: (amount) =>
      ledger
        .returnGas(budget, amount)
        .catch((err) => logger.error({ err, payers }, 'A gas budget could not be updated')),
  };
}
