import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Spending } from './contractWalletGas.ts';
import { type EvmTransaction, isOurs, toEvm } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import { failedOutcome } from './pursuePayment.ts';
import type { Member, Sent } from './settleGroup.ts';
import type { WatchPaid } from './watchEvmPaid.ts';

/** Settles one payment: sends it, or awaits the transaction of an earlier attempt. */
export function createEvmSettlement({
  verifier,
  preparer,
  sendFirst,
  pursue,
  watchPaid,
  polling,
}: {
  verifier: EvmVerifier;
  preparer: TransferPreparer;
  sendFirst(member: Member): Promise<Sent>;
  /** Resolves with undefined if it must be called again. */
  pursue(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome | undefined>;
  watchPaid: WatchPaid;
  polling: { network: string; logger: PaymentLogger; signal: AbortSignal };
}): (task: SettleTask<SignedAuthorization>) => Promise<SettleOutcome> {
  /** Final status of a payment for which a settle request was sent to a remote facilitator. */
  async function readForeignStatus({ payment, sent }: SettleTask<SignedAuthorization>) {
    return pollUntilKnown(() => verifier.readStatus(payment, sent[0]?.fromBlock ?? 0n), polling);
  }

  /** Compares a refusal with the chain: a remote facilitator may settle a payment that it refused before. */
  async function confirmRefusal(task: SettleTask<SignedAuthorization>, refusal: SettleOutcome): Promise<SettleOutcome> {
    const status = await readForeignStatus(task);
    if (!status) return { kind: 'unknown' };
    return status.kind === 'settled' ? status : refusal;
  }

  async function settleSent(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome> {
    const { task } = member;
    if (sent.length === 0) {
      const first = await sendFirst(member);
      if ('kind' in first)
        return first.kind === 'refused' && task.sent.length > 0 ? confirmRefusal(task, first) : first;
      sent.push(first);
    }
    return (await pollUntilKnown(() => pursue(member, sent), polling)) ?? { kind: 'unknown' };
  }

  return async (task) => {
    const sent = task.sent.filter(isOurs).map(toEvm);
    if (sent.length === 0 && task.sent.length > 0 && !task.wasRefused) {
      const status = await readForeignStatus(task);
      if (status?.kind === 'settled') watchPaid(task, { ...status, sent: task.sent });
      if (status?.kind !== 'unused') return status ?? { kind: 'unknown' };
    }
    const spending: Spending = { held: 0n, lost: [] };
    const outcome = await settleSent({ task, spending }, sent);
    if (outcome.kind === 'settled') watchPaid(task, { ...outcome, sent });
    await preparer.releaseGas(spending, outcome, BigInt(task.terms.amount));
    if (spending.lost.length === 0) return outcome;
    // The failed transaction of this attempt cost gas, even if the next one was refused because of a limit.
    if (outcome.kind === 'limited') return { ...failedOutcome, failedOnChain: true };
    return outcome.kind === 'refused' ? { ...outcome, failedOnChain: true } : outcome;
  };
}
