import { confirmUnpaid } from '../../confirmUnpaid.ts';
import type { SettleOutcome, SettleTask } from '../../facilitator.ts';
import { addFailedGas } from '../../ledger/gasSpent.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Spending } from './contractWalletGas.ts';
import { type EvmTransaction, isOurs, toEvm } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import { failedOutcome } from './pursuePayment.ts';
import type { Member, Sent } from './settleGroup.ts';
import type { createCostReader } from './settlementCost.ts';
import type { WatchPaid } from './watchEvmPaid.ts';

/** Settles one payment: sends it, or awaits the transaction of an earlier attempt. */
export function createEvmSettlement({
  verifier,
  preparer,
  sendFirst,
  confirmRefusal,
  pursue,
  watchPaid,
  polling,
  network,
  costs,
  onEvent,
}: {
  verifier: EvmVerifier;
  preparer: TransferPreparer;
  sendFirst(member: Member): Promise<Sent>;
  /** Compares a refusal of a payment that was never sent with the chain. */
  confirmRefusal(
    payment: SignedAuthorization,
    refusal: Extract<SettleOutcome, { kind: 'refused' }>,
  ): Promise<SettleOutcome>;
  /** Resolves with undefined if it must be called again. */
  pursue(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome | undefined>;
  watchPaid: WatchPaid;
  network: string;
  costs: Pick<ReturnType<typeof createCostReader>, 'toUsd'>;
  onEvent: OnPaymentEvent;
  polling: { network: string; logger: PaymentLogger; signal: AbortSignal };
}): (task: SettleTask<SignedAuthorization>) => Promise<SettleOutcome> {
  /** Final status of a payment for which a settle request was sent to a remote facilitator. */
  async function readForeignStatus({ payment, sent }: SettleTask<SignedAuthorization>) {
    return pollUntilKnown(() => verifier.readStatus(payment, sent[0]?.fromBlock), polling);
  }

  /** One attempt to end a payment: sends it, or awaits its transaction. Undefined while its outcome is not known. */
  async function attempt(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome | undefined> {
    const { task } = member;
    if (sent.length > 0) return pursue(member, sent);
    const first = await sendFirst(member);
    if (!('kind' in first)) {
      sent.push(first);
      return pursue(member, sent);
    }
    if (task.sent.length > 0) {
      // A remote facilitator may settle a payment that it refused before.
      return confirmUnpaid(verifier, task.payment, first, task.sent[0]?.fromBlock);
    }
    return first.kind === 'refused' ? confirmRefusal(task.payment, first) : first;
  }

  const settleSent = async (member: Member, sent: EvmTransaction[]): Promise<SettleOutcome> =>
    (await pollUntilKnown(() => attempt(member, sent), polling)) ?? { kind: 'unknown' };

  /** Reports the gas of transactions that failed on chain. @returns US dollars; undefined if a fee or the price is not known */
  function failedGas({ lost }: Spending): number | undefined {
    const fees = [...lost.values()];
    const known = fees.filter((fee) => fee !== undefined);
    const usd = known.length < fees.length ? undefined : costs.toUsd(known.reduce((sum, fee) => sum + fee, 0n));
    if (usd !== undefined) onEvent({ kind: 'gas lost', network, usd });
    return usd;
  }

  return async (task) => {
    const sent = task.sent.filter(isOurs).map(toEvm);
    if (sent.length === 0 && task.sent.length > 0 && !task.wasRefused) {
      const status = await readForeignStatus(task);
      if (status?.kind === 'settled') watchPaid(task, { ...status, sent: task.sent });
      if (status?.kind !== 'unused') return status ?? { kind: 'unknown' };
    }
    const spending: Spending = { held: 0n, lost: new Map() };
    const outcome = await settleSent({ task, spending }, sent);
    if (outcome.kind === 'settled') watchPaid(task, { ...outcome, sent });
    await preparer.releaseGas(spending, outcome, BigInt(task.terms.amount));
    if (spending.lost.size === 0) return outcome;
    const gas = addFailedGas(outcome.gas, failedGas(spending));
    // The failed transaction of this attempt cost gas, even if the next one was refused because of a limit.
    if (outcome.kind === 'limited') return { ...failedOutcome, failedOnChain: true, gas };
    return outcome.kind === 'refused' ? { ...outcome, failedOnChain: true, gas } : { ...outcome, gas };
  };
}
