import { formatUnits, size } from 'viem';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { SignedAuthorization } from './authorization.ts';
import { createContractWalletGas, type Spending, type Unsent } from './contractWalletGas.ts';
import type { Fees } from './fees.ts';
import type { TransferRefusal } from './revertReason.ts';
import { type Capped, type Cost, capCost, type createCostReader } from './settlementCost.ts';
import { type SimulatedTransfer, simulateTransfer, type TransferNode, transferData } from './simulateTransfer.ts';
import type { TransactionSender } from './transactionSender.ts';

const toUsd = (microUsd: bigint): string => formatUnits(microUsd, 6);

/** Decides, before anything is signed, whether a transfer would succeed and cost less than its price. */
export function createTransferPreparer(dependencies: {
  network: string;
  node: TransferNode;
  sender: Pick<TransactionSender, 'readFees'>;
  costs: ReturnType<typeof createCostReader>;
  contractWalletGas: GasAllowance;
  logger: PaymentLogger;
  /** Whether the payer's key signed the payment. */
  isSignedByKey(payment: SignedAuthorization): boolean;
}) {
  const { network, node, isSignedByKey, sender, costs, contractWalletGas, logger } = dependencies;
  const { chainId } = node;
  const wallets = createContractWalletGas({ network, node, contractWalletGas, logger });

  /** The token verifies a key's signature by the code of its wallet, if the wallet delegates to code (EIP-7702). */
  function explainDelegated(refusal: TransferRefusal, payment: SignedAuthorization): TransferRefusal {
    if (refusal.reason !== 'invalid_exact_evm_signature' || !isSignedByKey(payment)) return refusal;
    const detail = `Wallet ${payment.from} delegates to code (EIP-7702) that does not accept its key's signature (ERC-1271), so USDC rejects the payment. Remove the delegation, or pay from another wallet.`;
    return { ...refusal, detail };
  }

  /** Simulates the transfer with current fees. @throws {ChainUnreachableError} @throws {JsonRpcError} there is no result */
  async function simulate(
    payment: SignedAuthorization,
  ): Promise<(SimulatedTransfer & { fees: Fees }) | TransferRefusal> {
    const fees = await sender.readFees();
    const simulated = await simulateTransfer(node, payment, fees);
    return 'reason' in simulated ? explainDelegated(simulated, payment) : { ...simulated, fees };
  }

  /**
   * Limits the fees so that a transaction costs less than the price of its payments.
   * @param price of all its payments, in millionths of a US dollar
   * @param payments number of payments in the transaction, for the message
   */
  function limitCost(
    cost: Cost,
    { gas, fees, price }: { gas: bigint; fees: Fees; price: bigint },
    payments = 1,
  ): Extract<Capped, { kind: 'fits' }> | Extract<SettleOutcome, { kind: 'unavailable' }> {
    if (cost.kind === 'unreadable') {
      logger.error({ network, unreadable: cost.what }, 'The gas of a settlement cannot be priced');
      return {
        kind: 'unavailable',
        detail: `The cost of gas is unknown: ${cost.what} cannot be read.`,
      };
    }
    const capped = capCost(chainId, { gas, fees, price, cost });
    if (capped.kind === 'fits') return capped;
    const [costUsd, priceUsd] = [capped.microUsd, price].map((microUsd) => toUsd(microUsd / BigInt(payments)));
    logger.warn({ network, costUsd, priceUsd }, 'Gas costs more than the call');
    return {
      kind: 'unavailable',
      detail: `Settlement gas would cost up to ${costUsd} USD, more than the price of the call, ${priceUsd} USD.`,
    };
  }

  /**
   * Gas and fees for a transfer that costs less than the price of the call, or the reason why it is not sent.
   * @throws {ChainUnreachableError} @throws {JsonRpcError}
   */
  async function prepare(
    { payment, terms }: SettleTask<SignedAuthorization>,
    spending: Spending,
  ): Promise<{ kind: 'ready'; gas: bigint; fees: Fees } | Unsent> {
    const [simulated, cost] = await Promise.all([simulate(payment), costs.read(size(transferData(payment)))]);
    if ('reason' in simulated) return { kind: 'refused', ...simulated };
    const capped = limitCost(cost, { ...simulated, price: BigInt(terms.amount) });
    if (capped.kind !== 'fits') return capped;
    const ready = { kind: 'ready' as const, gas: simulated.gas, fees: capped.fees };
    if (cost.kind !== 'read' || !simulated.isContract) return ready;
    const stop = await wallets.reserve(payment, simulated, { ...ready, cost, microUsd: capped.microUsd }, spending);
    return stop ?? ready;
  }

  return { simulate, prepare, limitCost, releaseGas: wallets.release };
}

export type TransferPreparer = ReturnType<typeof createTransferPreparer>;
