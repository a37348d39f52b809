import type { PaymentLogger } from './cashierConfig.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';

/** Gas that a class of payers may cost us, in millionths of a US dollar. */
export interface GasAllowance {
  /** @returns milliseconds until so much is left; undefined when it was taken */
  take(amount: number): Promise<number | undefined>;
  /** What was not spent, or was earned. Never throws: an hour gives it back anyway. */
  giveBack(amount: number): Promise<void>;
}

/**
 * One budget for all contract wallets, on all networks and replicas: clones and new codes cost an attacker nothing, so a
 * budget for each would bound nothing.
 */
export function createContractWalletGas(
  ledger: Pick<PaymentLedger, 'takeGas' | 'returnGas'>,
  usdPerHour: number,
  logger: PaymentLogger,
): GasAllowance {
  const budget = { class: 'contract wallets', perHour: Math.round(usdPerHour * 1_000_000) };
  return {
    take: (amount) => ledger.takeGas(budget, amount),
    giveBack: (amount) =>
      ledger
        .returnGas(budget, amount)
        .catch((err) => logger.error({ err }, "The contract wallets' gas budget could not be updated")),
  };
}
