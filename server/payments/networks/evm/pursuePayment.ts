import { parseTransaction, size } from 'viem';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationStatus } from './authorizationStatus.ts';
import { type EvmTransaction, isOurs } from './evmTransaction.ts';
import { type EvmVerifier, spentOutcome } from './evmVerifier.ts';
import type { Follower, TransactionFollower } from './followTransactions.ts';
import { recordsOfGroup } from './groupCall.ts';
import { countPaid, feeOf, paidInReceipt } from './paidInReceipt.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import type { Member, Sent } from './settleGroup.ts';
import { affordableGas, type createCostReader } from './settlementCost.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import type { UnsignedCall } from './transactionSender.ts';

/** The outcome of a transfer that we sent and that failed on chain. */
export const failedOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_evm_transaction_failed',
  detail: 'The transfer failed on chain and moved nothing. Send the same payment again, or sign a new one.',
} as const;

/** Nonces used for one payment. More lost nonces mean that another service uses the key. */
const sendLimit = 5;

/** Whether a transaction contains one payment: it calls the token. A group creates a contract. */
const isLone = ({ raw }: EvmTransaction): boolean => Boolean(parseTransaction(raw).to);

/** One payment's part of a transaction's fee. */
function shareOf(fee: bigint | undefined, transaction: EvmTransaction | undefined): bigint | undefined {
  if (fee === undefined || !transaction || isLone(transaction)) return fee;
  const { data = '0x' } = parseTransaction(transaction.raw);
  return fee / BigInt(Math.max(1, recordsOfGroup(data).length));
}

/**
 * Creates `pursue`: it awaits the end of a payment's transaction, and sends a new transaction if that is safe.
 *
 * @returns `pursue`. It resolves with undefined if it must be called again: a new transaction was sent, or the status is
 * not known yet.
 */
export function createPursuit({
  network,
  node: { asset },
  verifier,
  follower,
  costs,
  preparer,
  sendFirst,
  sendTransfer,
  logger,
  onEvent,
}: {
  network: string;
  node: Pick<TransferNode, 'asset'>;
  verifier: EvmVerifier;
  follower: TransactionFollower;
  costs: ReturnType<typeof createCostReader>;
  preparer: TransferPreparer;
  sendFirst(member: Member): Promise<Sent>;
  sendTransfer(
    task: SettleTask<SignedAuthorization>,
    plan: Pick<UnsignedCall, 'gas' | 'fees'>,
  ): Promise<EvmTransaction>;
  logger: PaymentLogger;
  onEvent: OnPaymentEvent;
}): (member: Member, sent: EvmTransaction[]) => Promise<SettleOutcome | undefined> {
  return async function pursue(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome | undefined> {
    const { task, spending } = member;
    const { payment, key } = task;
    const noncesSpent = () => new Set(sent.map(({ nonce }) => nonce)).size;
    const own: Follower = {
      key,
      async affordableWei() {
        const cost = await costs.read(size(transferData(payment)));
        return cost.kind === 'read' ? affordableGas(BigInt(task.terms.amount), cost) : undefined;
      },
    };
    const end = await follower.follow(sent, own);

    if (end.kind === 'mined' && paidInReceipt(end.receipt, asset, payment)) {
      const { transactionHash, blockNumber } = end.receipt;
      const usd = costs.toUsd((feeOf(end.receipt) ?? 0n) / BigInt(countPaid(end.receipt, asset)));
      if (usd !== undefined) onEvent({ kind: 'gas paid', network, usd });
      return { kind: 'settled', transaction: transactionHash, block: BigInt(blockNumber) };
    }
    if (end.kind === 'stranded') {
      if (noncesSpent() < sendLimit) {
        logger.error(
          { network, hash: sent.at(-1)?.hash },
          'A lower nonce than that of a payment is missing; sending the payment in a new transaction',
        );
        const next = await sendFirst(member);
        if (!('kind' in next)) {
          sent.push(next);
          return undefined;
        }
      }
      // The old transaction could still be included once its gap is filled, so only the status on chain is final.
      const stranded = await verifier.readStatus(payment, sent[0]?.fromBlock);
      return stranded.kind === 'unused' ? undefined : stranded;
    }
    const isFailed = end.kind === 'mined';
    const sentNow = sent.length > task.sent.filter(isOurs).length;
    // Do not count a failure again that an earlier refusal has counted.
    if (isFailed && (sentNow || !task.wasRefused)) spending.lost.push(shareOf(feeOf(end.receipt), sent.at(-1)));
    const at = isFailed ? end.receipt.blockNumber : 'latest';
    const status = await readAuthorizationStatus(verifier.chain.call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (status.kind === 'paid') return { kind: 'settled', transaction: status.transaction };
    if (status.kind === 'spent') return spentOutcome(status.spent, payment);
    const simulated = await preparer.simulate(payment);
    if ('reason' in simulated) {
      // The authorization was used after the block of the failed transaction: read its status at the latest block.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') {
        const now = await verifier.readStatus(payment, sent[0]?.fromBlock ?? 0n);
        return now.kind === 'unused' ? undefined : now;
      }
      return { kind: 'refused', ...simulated };
    }
    // A payment that failed in an earlier attempt or in a group is sent once more, alone. After a failure of a lone
    // transfer in this attempt it is not, so that a wallet cannot make us burn gas.
    const newest = sent.at(-1);
    const failedAlone = isFailed && sentNow && newest !== undefined && isLone(newest);
    if (failedAlone || noncesSpent() >= sendLimit) {
      return failedOutcome;
    }
    const shortage = await task.checkFunds();
    if (shortage) return shortage;
    const prepared = await preparer.prepare(task, spending);
    if (prepared.kind !== 'ready') return prepared;
    sent.push(await sendTransfer(task, prepared));
    return undefined;
  };
}
