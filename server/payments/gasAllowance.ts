import type { PaymentLogger } from './cashierConfig.ts';
import type { PaymentLedger } from './ledger/ledgerTypes.ts';

/** A gas budget for a class of payers, in millionths of a US dollar. */
export interface GasAllowance {
  /** @returns milliseconds until the amount is available; undefined when it was taken */
  take(amount: number): Promise<number | undefined>;
  /** Returns an unspent or earned amount. Never throws: the budget refills within an hour anyway. */
  giveBack(amount: number): Promise<void>;
}

/**
 * One budget for all contract wallets, on all networks and replicas: an attacker can deploy clones for free, so a budget
 * for each wallet would limit nothing.
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
