import { setMaxListeners } from 'node:events';
import { createBoundedQueue } from '../../boundedQueue.ts';
import type { Facilitator, SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentLogger, PaymentTimings, SvmNetworkConfig } from '../../paymentConfig.ts';
import { checkAtStart } from '../../paymentVerifier.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import { feePayerAddress, openFeePayerKey } from './feePayerKey.ts';
import { createInclusionReader } from './readInclusion.ts';
import { readSvmState } from './readSvmState.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { createSvmTransfers, type NewTransaction } from './svmTransfers.ts';
import { createSvmVerifier, expiredOutcome, failedOutcome, type SvmVerifier } from './svmVerifier.ts';
import { watchSignature } from './watchSignature.ts';

/** Payments that are simulated and sent concurrently: public nodes accept some tens of requests a second. */
const maxAtOnce = 32;
/** Whether our key signed the transaction. Entries for a remote facilitator contain no bytes. */
const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';

/** Awaits a payment that an earlier process sent to a remote facilitator: its fee payer's signature is unknown here. */
async function awaitRemote(
  verifier: SvmVerifier,
  { payment, sent }: SettleTask<SvmTransaction>,
  polling: Parameters<typeof pollUntilKnown>[1],
): Promise<SettleOutcome> {
  const ended = await pollUntilKnown(async () => {
    const status = await verifier.readStatus(payment, sent[0]?.fromBlock ?? 0n);
    return status.kind === 'unused' ? undefined : status;
  }, polling);
  return ended ?? { kind: 'unknown' };
}

/** Broadcasts our journaled transactions again, several at a time. */
async function resendAll(
  send: (transaction: JournaledTransaction) => Promise<boolean>,
  transactions: readonly JournaledTransaction[],
): Promise<void> {
  const own = transactions.filter(isOurs);
  for (let begin = 0; begin < own.length; begin += maxAtOnce) {
    const sent = await Promise.all(own.slice(begin, begin + maxAtOnce).map(send));
    // No node replies, so the rest would fail too. Each settlement broadcasts its own transaction again.
    if (sent.includes(false)) return;
  }
}

/**
 * Settles `exact` payments on Solana, with our own key as fee payer.
 *
 * Signing a message again gives the same signature, and the network includes a transaction only once. So broadcasting it
 * again is safe, and the status of the signature shows the outcome.
 */
export function createSvmFacilitator(
  config: SvmNetworkConfig & { facilitatorKey: string },
  timings: PaymentTimings,
  logger: PaymentLogger,
): Facilitator<SvmTransaction> {
  const { network } = config;
  const feePayer = feePayerAddress(config.facilitatorKey);
  const verifier = createSvmVerifier(config, timings);
  const { verify, send, sendNew } = createSvmTransfers({ network, verifier, key: config.facilitatorKey, logger });
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const inclusions = createInclusionReader(verifier.chain);
  const queue = createBoundedQueue(maxAtOnce);
  const polling = { signal: closing.signal, logger, network };

  /** After a node failure the transaction counts as not sent, because the broadcast may have been lost. */
  async function follow({ transaction, isSent }: NewTransaction): Promise<SettleOutcome> {
    let wasJustSent = isSent;
    const end = await pollUntilKnown(() => {
      const watching = watchSignature({
        inclusions,
        transaction,
        isSent: wasJustSent,
        send: () => send(transaction),
        timings,
        signal: closing.signal,
      });
      wasJustSent = false;
      return watching;
    }, polling);
    if (!end) return { kind: 'unknown' };
    if (end.kind === 'paid') return { kind: 'settled', transaction: transaction.hash };
    return end.kind === 'failed' ? { ...failedOutcome, failedOnChain: true } : expiredOutcome;
  }

  async function settle(task: SettleTask<SvmTransaction>): Promise<SettleOutcome> {
    const ours = task.sent.findLast(isOurs);
    if (task.sent.length > 0 && !ours) return awaitRemote(verifier, task, polling);
    const sent = ours ? { transaction: ours, isSent: false } : await queue.run(() => sendNew(task));
    const outcome = 'kind' in sent ? sent : await follow(sent);
    // An earlier refusal has counted this failure: do not count it twice.
    if (outcome.kind !== 'refused' || !task.wasRefused || !ours) return outcome;
    const { failedOnChain: _, ...counted } = outcome;
    return counted;
  }

  return {
    network,
    spendsOurGas: true,
    async start() {
      // Fails at start, instead of with the first payment, if the key pair does not match.
      await openFeePayerKey(config.facilitatorKey);
      await checkAtStart(polling, verifier.check);
    },
    offerExtra: async () => ({ feePayer }),
    queue: () => queue.state(),
    verifyPayload: (payment, terms, nowSeconds) => verifier.verifyPayload(payment, terms, nowSeconds),
    isSigned: (payment, terms, nowSeconds) => verifier.isSigned(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    async readLateStatus(payment, sent) {
      const ours = sent.findLast(isOurs);
      if (!ours) return readLateStatus(verifier, payment, sent[0]?.fromBlock ?? 0n);
      const seen = await inclusions.readInclusion(ours);
      if (seen === 'paid') return { kind: 'settled', transaction: ours.hash };
      return { kind: (await inclusions.hasExpired(ours)) ? 'expired' : 'open' };
    },
    account: feePayer,
    readSettlementState: () => readSvmState(verifier, feePayer),
    resend: (transactions) => resendAll(send, transactions),
    // Not needed: a confirmed block has votes of two thirds of the stake, and none has ever been dropped.
    watchPaid: () => undefined,
    close: () => closing.abort(),
  };
}
