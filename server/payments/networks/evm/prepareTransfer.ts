import { formatUnits } from 'viem';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { SignedAuthorization } from './authorization.ts';
import { findGasFault, tryAhead } from './contractWallets.ts';
import type { TransferRefusal } from './revertReason.ts';
import { type Capped, type Cost, type CostReading, capCost, type createCostReader } from './settlementCost.ts';
import { type SimulatedTransfer, simulateTransfer, type TransferNode, transferData } from './simulateTransfer.ts';
import type { Fees, TransactionSender } from './transactionSender.ts';

const toUsd = (microUsd: bigint): string => formatUnits(microUsd, 6);

/** Why nothing is sent. */
export type Unsent = Extract<SettleOutcome, { kind: 'refused' | 'unavailable' | 'limited' }>;

/** What one settlement has cost so far. */
export interface Spending {
  /** Taken from the gas budget of contract wallets, in millionths of a US dollar; zero for a plain key. */
  held: bigint;
  /** The prices from which `held` was computed. */
  cost?: CostReading;
  /** Fees of transactions that failed on chain, in wei; undefined where the receipt does not contain them. */
  lost: (bigint | undefined)[];
}

/** Decides, before anything is signed, whether a transfer would succeed and cost less than its price. */
export function createTransferPreparer(means: {
  network: string;
  node: TransferNode;
  sender: Pick<TransactionSender, 'readFees'>;
  costs: ReturnType<typeof createCostReader>;
  contractWalletGas: GasAllowance;
  logger: PaymentLogger;
}) {
  const { network, node, sender, costs, contractWalletGas, logger } = means;
  const { chainId } = node;
  let warnedOfOverrides = false;

  /** @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict on the payment. */
  async function simulate(
    payment: SignedAuthorization,
  ): Promise<(SimulatedTransfer & { fees: Fees }) | TransferRefusal> {
    const fees = await sender.readFees();
    const simulated = await simulateTransfer(node, payment, fees);
    return 'reason' in simulated ? simulated : { ...simulated, fees };
  }

  /** Keeps the maximum cost of a transaction for so many payments below their price, in millionths of a US dollar. */
  function limitCost(
    cost: Cost,
    { gas, fees, price }: { gas: bigint; fees: Fees; price: bigint },
    payments = 1,
  ): Extract<Capped, { kind: 'fits' }> | Extract<SettleOutcome, { kind: 'unavailable' }> {
    if (cost.kind === 'unreadable') {
      logger.error({ network, unreadable: cost.what }, 'The gas of a settlement cannot be priced');
      return {
        kind: 'unavailable',
        detail: `The cost of gas on that network is unknown: ${cost.what} cannot be read.`,
      };
    }
    const capped = capCost(chainId, { gas, fees, price, cost });
    if (capped.kind === 'fits') return capped;
    const [costUsd, priceUsd] = [capped.microUsd, price].map((microUsd) => toUsd(microUsd / BigInt(payments)));
    logger.warn({ network, costUsd, priceUsd }, 'Gas costs more than the call');
    return {
      kind: 'unavailable',
      detail: `Settlement gas would cost up to ${costUsd} USD, and the call costs ${priceUsd} USD.`,
    };
  }

  /**
   * Gas and fees for the transfer, or why it is not sent. Its maximum cost is below the price of the call.
   * @throws {ChainUnreachableError} @throws {NodeRefusalError}
   */
  async function prepare(
    { payment, terms }: SettleTask<SignedAuthorization>,
    spending: Spending,
  ): Promise<{ kind: 'ready'; gas: bigint; fees: Fees } | Unsent> {
    const [simulated, cost] = await Promise.all([simulate(payment), costs.read(transferData(payment))]);
    if ('reason' in simulated) return { kind: 'refused', ...simulated };
    const capped = limitCost(cost, { ...simulated, price: BigInt(terms.amount) });
    if (capped.kind !== 'fits') return capped;
    const ready = { kind: 'ready' as const, gas: simulated.gas, fees: capped.fees };
    if (cost.kind !== 'read' || !simulated.isContract) return ready;
    const stop = await holdContractWallet(payment, simulated, { ...ready, cost, microUsd: capped.microUsd }, spending);
    return stop ?? ready;
  }

  /** Checks a contract wallet before gas is spent on it, and takes the maximum cost from the shared budget. */
  async function holdContractWallet(
    payment: SignedAuthorization,
    simulated: SimulatedTransfer,
    { gas, fees, cost, microUsd }: { gas: bigint; fees: Fees; cost: CostReading; microUsd: bigint },
    spending: Spending,
  ): Promise<Unsent | undefined> {
    const fault = findGasFault(simulated);
    if (fault) return { kind: 'refused', ...fault };
    const ahead = await tryAhead(node, payment, { gas, fees, head: simulated.head });
    if (ahead === 'rejected') {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_simulation_failed',
        detail:
          'The contract wallet accepts this payment now and rejects it in a later block. Pay from another wallet.',
      };
    }
    if (ahead === 'unsupported' && !warnedOfOverrides) {
      warnedOfOverrides = true;
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
          'The hourly gas budget for failed settlements of contract wallets is spent. Wallets without code can still pay.',
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      };
    }
    spending.held += microUsd;
    spending.cost = cost;
    return undefined;
  }

  /** Returns the unspent part to the budget. A success also returns its price, which refills what others spent. */
  async function releaseGas({ held, cost, lost }: Spending, outcome: SettleOutcome, price: bigint) {
    if (held === 0n || outcome.kind === 'unknown') return;
    if (outcome.kind === 'settled') return contractWalletGas.giveBack(Number(held + price));
    const lostMicroUsd = lost.reduce<bigint>(
      (sum, fee) => sum + (cost && fee !== undefined ? cost.toMicroUsd(fee) : held),
      0n,
    );
    if (lostMicroUsd < held) await contractWalletGas.giveBack(Number(held - lostMicroUsd));
  }

  return { simulate, prepare, limitCost, releaseGas };
}

export type TransferPreparer = ReturnType<typeof createTransferPreparer>;
