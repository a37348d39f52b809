import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { endWith } from '../../../time/endWith.ts';
import { isChainTrouble } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { PaymentLogger, PaymentTimings, RemoteFacilitator } from '../../paymentConfig.ts';
import type { PaymentVerifier } from '../../paymentVerifier.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import type { Recheck } from '../../recheck.ts';
import { createFacilitatorClient, FacilitatorUnansweredError } from './facilitatorClient.ts';
import {
  createFacilitatorRequests,
  type FacilitatorTask,
  type Refused,
  type SettleResult,
} from './facilitatorRequests.ts';

/** Operations that differ between families of networks. */
export interface RemoteFamily<Payment> {
  verifier: PaymentVerifier<Payment>;
  payerOf(payment: Payment): string;
  sameWallet(left: string, right: string): boolean;
  /** Format of a transaction id. */
  transactionPattern: RegExp;
  /** Whether the offer must contain a fee payer, which only the facilitator knows. */
  needsFeePayer: boolean;
  /** Rechecks settlements on chains with reorganisations. */
  openRecheck?: (signal: AbortSignal) => Recheck;
}

/**
 * Reasons from checks before anything is sent. The others may mean a transaction that is pending, and `already used` one
 * that was included.
 */
const isBeforeSending = (reason: string): boolean =>
  /^invalid_|^insufficient_funds$/.test(reason) && !/already_used|transaction_failed|transaction_state/.test(reason);

type Task<Payment> = FacilitatorTask<Payment> & Pick<SettleTask<Payment>, 'key'>;

/** Facilitator errors for a payment that was already settled or used. */
const isUseReason = (reason: string): boolean => /already_used|duplicate_settlement/.test(reason);

/** Delay before the chain is polled beside a request: a hanging request must not hide that the money moved. */
const pollMs = 2_000;

/** Settle requests for a payment that the chain dropped, before it counts as lost. */
const againLimit = 20;

/** A second apart: our node may be blocks behind the facilitator's. */
const looksBeforeRefusal = 3;

/**
 * Settles payments of one network through a facilitator elsewhere: verify, then settle.
 *
 * Only two of its responses count: a refusal from a check before sending that the chain does not contradict, and a
 * settlement of this payer on this network. For any other response, or none, the chain decides, read through our own RPC.
 * The ledger records each payment before the settle request. Asking again is safe: a payment moves money at most once.
 */
export function createRemoteFacilitator<Payment>(
  config: { network: string; remote: RemoteFacilitator },
  family: RemoteFamily<Payment>,
  timings: PaymentTimings,
  logger: PaymentLogger,
): Facilitator<Payment> {
  const { network } = config;
  const { verifier, payerOf, sameWallet, transactionPattern, needsFeePayer } = family;
  const closing = new AbortController();
  const { signal } = closing;
  setMaxListeners(0, signal);
  const patience = { signal, logger, network };
  const recheck = family.openRecheck?.(signal);
  const isPayer = (payer: string | null | undefined, payment: Payment): boolean =>
    typeof payer === 'string' && sameWallet(payer, payerOf(payment));
  const { requestVerify, requestSettle, readSupport } = createFacilitatorRequests<Payment>({
    network,
    client: createFacilitatorClient(config.remote, timings),
    isPayer,
    transactionPattern,
    logger,
    signal,
  });

  /** A payment that the facilitator refuses may already have paid in a third party's transaction. */
  async function findUse(payment: Payment, refusal: Refused): Promise<SettleOutcome> {
    try {
      const status = await verifier.readStatus(payment);
      if (status.kind !== 'unused') return status;
      // Our node may be behind the facilitator's.
      return isUseReason(refusal.reason) ? { kind: 'unknown' } : refusal;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'The use of a payment cannot be read now');
      return { kind: 'unknown' };
    }
  }

  async function verify(task: FacilitatorTask<Payment>): Promise<VerifyOutcome> {
    const verified = await requestVerify(task);
    if (verified.kind !== 'refused') return verified;
    const found = await findUse(task.payment, verified);
    if (found.kind === 'refused') return found;
    return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
  }

  /** Final status on chain; undefined while it can still change. */
  async function readEnd(payment: Payment, since: bigint): Promise<SettleOutcome | undefined> {
    const status = await verifier.readStatus(payment, since);
    return status.kind === 'unused' ? undefined : status;
  }

  /** Sends the settle request and polls the chain; the first result wins. */
  async function askAndWatch(task: FacilitatorTask<Payment>, since: bigint): Promise<SettleResult | SettleOutcome> {
    const watching = endWith(signal);
    const asked = requestSettle(task, watching.signal);
    const seen = (async () => {
      await sleep(pollMs, undefined, { signal: watching.signal }).catch(() => undefined);
      const status = await pollUntilKnown(() => readEnd(task.payment, since), { ...patience, signal: watching.signal });
      return status ?? asked;
    })();
    try {
      return await Promise.race([asked, seen]);
    } finally {
      watching.end();
      // The loser of the race must not become an unhandled rejection.
      seen.catch(() => undefined);
    }
  }

  /**
   * Compares a refusal with the chain: a facilitator that was asked twice may find the wallet empty because it has just
   * settled this payment.
   */
  async function heldToChain(refusal: SettleOutcome, payment: Payment, since: bigint): Promise<SettleOutcome> {
    let looks = 0;
    const status = await pollUntilKnown(async () => {
      const end = await readEnd(payment, since);
      looks += 1;
      return end ?? (looks < looksBeforeRefusal ? undefined : refusal);
    }, patience);
    return status ?? { kind: 'unknown' };
  }

  async function findShortage({ checkFunds }: SettleTask<Payment>) {
    try {
      return await checkFunds();
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, "The payer's balance could not be read");
      return { kind: 'unavailable' as const };
    }
  }

  /** Verifies and sends the first settle request. Returns `since` if its outcome must be read from the chain. */
  async function settleFirst(task: SettleTask<Payment>): Promise<SettleOutcome | { since: bigint }> {
    const [verified, shortage] = await Promise.all([requestVerify(task), findShortage(task)]);
    const [earlier] = task.sent;
    if (verified.kind === 'refused') {
      return earlier ? heldToChain(verified, task.payment, earlier.fromBlock) : findUse(task.payment, verified);
    }
    if (verified.kind !== 'valid') return verified;
    if (shortage) return shortage;
    let since: bigint;
    try {
      await verifier.check();
      const position = await verifier.readPosition();
      // The transaction of an earlier, refused attempt may have moved the money since.
      since = earlier?.fromBlock ?? position;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
    await task.journal({ hash: '', raw: '', nonce: 0, fromBlock: since });
    const asked = await askAndWatch(task, since);
    if (asked.kind === 'neverArrived') return { kind: 'unavailable' };
    if (asked.kind === 'unsure' || (asked.kind === 'refused' && !isBeforeSending(asked.reason))) return { since };
    return asked.kind === 'refused' ? heldToChain(asked, task.payment, since) : asked;
  }

  /** If the chain drops the payment, requests its settlement again as long as it is unused and valid. */
  function watchSettled(task: Task<Payment>, transaction: string, since: bigint | undefined): void {
    let left = againLimit;
    recheck?.add({
      hash: transaction,
      key: task.key,
      readStatus: () => readLateStatus(verifier, task.payment, since),
      again: {
        id: transaction,
        async send() {
          left -= 1;
          if (left < 0) return false;
          await requestSettle(task, signal);
          return true;
        },
      },
    });
  }

  async function settle(task: SettleTask<Payment>): Promise<SettleOutcome> {
    let since = task.sent[0]?.fromBlock;
    const outcome = await settleOnce({
      ...task,
      journal(transaction) {
        since ??= transaction.fromBlock;
        return task.journal(transaction);
      },
    });
    if (outcome.kind === 'settled') watchSettled(task, outcome.transaction, since);
    return outcome;
  }

  async function settleOnce(task: SettleTask<Payment>): Promise<SettleOutcome> {
    const [earlier] = task.wasRefused ? [] : task.sent;
    const first = earlier ? { since: earlier.fromBlock } : await settleFirst(task);
    if ('kind' in first) return first;
    const { since } = first;
    let looks = 0;
    let nextAsk = 1;
    const outcome = await pollUntilKnown<SettleOutcome>(async () => {
      const end = await readEnd(task.payment, since);
      if (end) return end;
      looks += 1;
      if (looks < nextAsk) return undefined;
      // Repeats the request after 1, 2, 4 … polls, because each request may cost the facilitator a failed transaction.
      nextAsk = looks * 2;
      const asked = await askAndWatch(task, since);
      // After a request with an unknown result, only the chain can refuse.
      return asked.kind === 'settled' ? asked : undefined;
    }, patience);
    return outcome ?? { kind: 'unknown' };
  }

  return {
    network,
    spendsOurGas: false,
    async start() {
      try {
        await verifier.check();
        await readSupport();
      } catch (error) {
        if (!isChainTrouble(error) && !(error instanceof FacilitatorUnansweredError)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    async offerExtra() {
      if (!needsFeePayer) return {};
      try {
        const { feePayer } = await readSupport();
        return typeof feePayer === 'string' ? { feePayer } : undefined;
      } catch (error) {
        if (!(error instanceof FacilitatorUnansweredError) && !(error instanceof PaymentNetworkMismatchError))
          throw error;
        return undefined;
      }
    },
    examine: (payment, terms, nowSeconds) => verifier.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    readLateStatus: (payment, sent) => readLateStatus(verifier, payment, sent[0]?.fromBlock ?? 0n),
    readGas: async () => undefined,
    // It sends its own.
    resend: async () => undefined,
    watchPaid: (task, { transaction, sent }) => watchSettled(task, transaction, sent[0]?.fromBlock),
    close: () => closing.abort(),
  };
}
