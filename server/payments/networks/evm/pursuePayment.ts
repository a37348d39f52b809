import { parseTransaction, size } from 'viem';
import { confirmUnpaid } from '../../confirmUnpaid.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import { toGasSpent } from '../../ledger/gasSpent.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import type { SignedAuthorization } from './authorization.ts';
import { type EvmTransaction, isOurs } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { Follower, TransactionFollower } from './followTransactions.ts';
import { recordsOfGroup } from './groupCall.ts';
import { countPaid, feeOf, paidInReceipt, type TransactionReceipt } from './paidInReceipt.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import type { Member, Sent } from './settleGroup.ts';
import { affordableGas, type createCostReader } from './settlementCost.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import type { UnsignedCall } from './transactionSender.ts';

interface Pursuit {
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
}

/** The outcome of a transfer that we sent and that failed on chain. */
export const failedOutcome = {
  kind: 'refused',
  reason: 'invalid_exact_evm_transaction_failed',
  detail: 'The transfer failed on chain and moved nothing. Send the same payment again.',
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

const countNonces = (sent: readonly EvmTransaction[]): number => new Set(sent.map(({ nonce }) => nonce)).size;

const toFollower = ({ costs }: Pursuit, { key, payment, terms }: SettleTask<SignedAuthorization>): Follower => ({
  key,
  async affordableWei() {
    const cost = await costs.read(size(transferData(payment)));
    return cost.kind === 'read' ? affordableGas(BigInt(terms.amount), cost) : undefined;
  },
});

/** The outcome of a payment that the receipt contains, with its share of the gas. */
function settledIn({ network, node: { asset }, costs, onEvent }: Pursuit, receipt: TransactionReceipt): SettleOutcome {
  const { transactionHash, blockNumber, gasUsed } = receipt;
  const paid = BigInt(countPaid(receipt, asset));
  const fee = feeOf(receipt);
  const usd = fee === undefined ? undefined : costs.toUsd(fee / paid);
  if (usd !== undefined) onEvent({ kind: 'gas paid', network, usd });
  const used = typeof gasUsed === 'bigint' ? gasUsed / paid : undefined;
  const gas = toGasSpent(used, usd, fee === undefined ? 'not_read' : 'no_price');
  return { kind: 'settled', transaction: transactionHash, block: BigInt(blockNumber), gas };
}

/** Sends a payment in a new transaction, because a nonce below that of its transaction is missing. */
async function replaceStranded(
  { network, verifier, sendFirst, logger }: Pursuit,
  member: Member,
  sent: EvmTransaction[],
): Promise<SettleOutcome | undefined> {
  if (countNonces(sent) < sendLimit) {
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
  const stranded = await verifier.readStatus(member.task.payment, sent[0]?.fromBlock);
  return stranded.kind === 'unused' ? undefined : stranded;
}

/**
 * Reads the status of a payment whose transaction ended without paying it, and sends it once more, alone, if that is safe.
 *
 * @param receipt the receipt of that transaction; undefined if another transaction took its nonce
 */
async function retryUnpaid(
  { verifier, preparer, sendTransfer }: Pursuit,
  { task, spending }: Member,
  sent: EvmTransaction[],
  receipt: TransactionReceipt | undefined,
): Promise<SettleOutcome | undefined> {
  const { payment } = task;
  const sentNow = sent.length > task.sent.filter(isOurs).length;
  // Do not count a failure again that an earlier refusal has counted.
  if (receipt && (sentNow || !task.wasRefused))
    spending.lost.set(receipt.transactionHash, shareOf(feeOf(receipt), sent.at(-1)));
  const status = await verifier.readStatus(payment, sent[0]?.fromBlock);
  if (status.kind !== 'unused') return status;
  const simulated = await preparer.simulate(payment);
  if ('reason' in simulated) return { kind: 'refused', ...simulated };
  // A payment that failed in an earlier attempt or in a group is sent once more, alone. After a failure of a lone
  // transfer in this attempt it is not, so that a wallet cannot make us burn gas.
  const newest = sent.at(-1);
  const failedAlone = receipt && sentNow && newest && isLone(newest);
  if (failedAlone || countNonces(sent) >= sendLimit) return failedOutcome;
  const shortage = await task.checkFunds();
  if (shortage) return shortage;
  const prepared = await preparer.prepare(task, spending);
  if (prepared.kind !== 'ready') return prepared;
  sent.push(await sendTransfer(task, prepared));
  return undefined;
}

/**
 * Awaits the end of a payment's transaction, and sends a new transaction if that is safe.
 *
 * @param sent the payment's transactions, oldest first; new ones are appended
 * @returns undefined if it must be called again: a new transaction was sent, or the status is not known yet
 */
export async function pursuePayment(
  pursuit: Pursuit,
  member: Member,
  sent: EvmTransaction[],
): Promise<SettleOutcome | undefined> {
  const end = await pursuit.follower.follow(sent, toFollower(pursuit, member.task));
  if (end.kind === 'stranded') return replaceStranded(pursuit, member, sent);
  const receipt = end.kind === 'mined' ? end.receipt : undefined;
  const { payment } = member.task;
  if (receipt && paidInReceipt(receipt, pursuit.node.asset, payment)) return settledIn(pursuit, receipt);
  const outcome = await retryUnpaid(pursuit, member, sent, receipt);
  // The reads after the status may have reached a node that is ahead: one that shows the payment as paid.
  return outcome && confirmUnpaid(pursuit.verifier, payment, outcome, sent[0]?.fromBlock);
}
