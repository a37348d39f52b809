import type { SettleOutcome } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { SignedAuthorization } from './authorization.ts';
import { findGasFault, simulateLaterBlocks } from './contractWallets.ts';
import type { Fees } from './fees.ts';
import type { CostReading } from './settlementCost.ts';
import type { SimulatedTransfer, TransferNode } from './simulateTransfer.ts';

/** The outcome of a settlement that sends nothing. */
export type Unsent = Extract<SettleOutcome, { kind: 'refused' | 'unavailable' | 'limited' }>;

/** The cost of one settlement so far. */
export interface Spending {
  /** Amount taken from the gas budget of contract wallets, in millionths of a US dollar; zero for an EOA. */
  held: bigint;
  /** The prices from which `held` was computed. */
  cost?: CostReading;
  /** Fees of transactions that failed on chain, in wei, by hash; undefined where the receipt does not contain them. */
  lost: Map<string, bigint | undefined>;
}

/** Limits the gas that contract wallets can make this service spend. */
export function createContractWalletGas({
  network,
  node,
  contractWalletGas,
  logger,
}: {
  network: string;
  node: TransferNode;
  contractWalletGas: GasAllowance;
  logger: PaymentLogger;
}) {
  let hasWarnedAboutOverrides = false;

  /**
   * Reserves the maximum gas cost of a contract wallet's payment. Returns a refusal if a simulation fails or the budget is
   * used up.
   */
  async function reserve(
    payment: SignedAuthorization,
    simulated: SimulatedTransfer,
    { gas, fees, cost, microUsd }: { gas: bigint; fees: Fees; cost: CostReading; microUsd: bigint },
    spending: Spending,
  ): Promise<Unsent | undefined> {
    const fault = findGasFault(simulated);
    if (fault) return { kind: 'refused', ...fault };
    const later = await simulateLaterBlocks(node, payment, { gas, fees, head: simulated.head });
    if (later === 'rejected') {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_simulation_failed',
        detail:
          'In a simulation, the contract wallet accepts this payment now and rejects it in a later block. Pay from another wallet.',
      };
    }
    if (later === 'unsupported' && !hasWarnedAboutOverrides) {
      hasWarnedAboutOverrides = true;
      logger.warn(
        { network },
        'The node does not support block overrides: only the gas budget limits contract wallets',
      );
    }
    const waitMs = await contractWalletGas.take(Number(microUsd));
    if (waitMs !== undefined) {
      return {
        kind: 'limited',
        detail:
          'The hourly gas budget for failed settlements of contract wallets is used up. Wallets without code can still pay.',
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      };
    }
    spending.held += microUsd;
    spending.cost = cost;
    return undefined;
  }

  /** Returns the unspent part to the budget. A success also adds its price, which pays for failed settlements of others. */
  async function release({ held, cost, lost }: Spending, outcome: SettleOutcome, price: bigint) {
    if (held === 0n || outcome.kind === 'unknown') return;
    if (outcome.kind === 'settled') return contractWalletGas.refund(Number(held + price));
    const lostMicroUsd = [...lost.values()].reduce<bigint>(
      (sum, fee) => sum + (cost && fee !== undefined ? cost.toMicroUsd(fee) : held),
      0n,
    );
    if (lostMicroUsd < held) await contractWalletGas.refund(Number(held - lostMicroUsd));
  }

  return { reserve, release };
}
