import { setMaxListeners } from 'node:events';
import { createBoundedQueue } from '../../boundedQueue.ts';
import { isChainError } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentLogger, PaymentTimings, SvmNetworkConfig } from '../../paymentConfig.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import { feePayerAddress, openFeePayerKey } from './feePayerKey.ts';
import { balance } from './nodeAnswers.ts';
import { createInclusionReader } from './readInclusion.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { createSvmTransfers, type NewTransaction } from './svmTransfers.ts';
import { createSvmVerifier, expiredOutcome, failedOutcome, type SvmVerifier } from './svmVerifier.ts';
import { watchSignature } from './watchSignature.ts';

/** Lamports that an account without data must keep. */
const untouchable = 890_880;
/** Two signatures, and the largest priority fee that our limits allow. */
const highestFee = 20_000n;
/** Payments that are simulated and sent at once: public nodes take some tens of requests a second. */
const mostAtOnce = 32;
/** A remote facilitator that settled this payment before left no transaction in the journal. */
const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';

/** An earlier process asked a remote facilitator, with another fee payer: only the chain shows the outcome. */
async function awaitForeign(
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

/**
 * Settles `exact` payments on Solana, with our own key as fee payer.
 *
 * Signing a message again gives the same signature, and the network includes a transaction once. Sending again is
 * therefore safe, and the status of that signature resolves every doubt.
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
  const queue = createBoundedQueue(mostAtOnce);
  const polling = { signal: closing.signal, logger, network };

  async function pursue(transaction: JournaledTransaction, isSent: boolean): Promise<SettleOutcome> {
    const seen = await watchSignature({
      inclusions,
      transaction,
      isSent,
      send: () => send(transaction),
      timings,
      signal: closing.signal,
    });
    if (seen.kind === 'paid') return { kind: 'settled', transaction: transaction.hash };
    return seen.kind === 'failed' ? { ...failedOutcome, failedOnChain: true } : expiredOutcome;
  }

  /** After a node failed, the transaction counts as not sent: the broadcast may have been lost too. */
  async function follow({ transaction, isSent }: NewTransaction) {
    let wasJustSent = isSent;
    const outcome = await pollUntilKnown(() => {
      const run = pursue(transaction, wasJustSent);
      wasJustSent = false;
      return run;
    }, polling);
    return outcome ?? { kind: 'unknown' as const };
  }

  async function settle(task: SettleTask<SvmTransaction>): Promise<SettleOutcome> {
    const ours = task.sent.findLast(isOurs);
    if (task.sent.length > 0 && !ours) return awaitForeign(verifier, task, polling);
    const sent = ours ? { transaction: ours, isSent: false } : await queue.run(() => sendNew(task));
    const outcome = 'kind' in sent ? sent : await follow(sent);
    // A failure that an earlier refusal counted is not counted again.
    if (outcome.kind !== 'refused' || !task.wasRefused || !ours) return outcome;
    const { failedOnChain: _, ...counted } = outcome;
    return counted;
  }

  return {
    network,
    spendsOurGas: true,
    async start() {
      // A key pair that does not match fails at start, not with the first payment.
      await openFeePayerKey(config.facilitatorKey);
      try {
        await verifier.check();
      } catch (error) {
        if (!isChainError(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    offerExtra: async () => ({ feePayer }),
    queue: () => queue.state(),
    examine: (payment, terms, nowSeconds) => verifier.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    async readLateStatus(payment, sent) {
      const ours = sent.findLast(isOurs);
      if (!ours) return readLateStatus(verifier, payment, sent[0]?.fromBlock ?? 0n);
      const hasExpired = await inclusions.isTooOld(ours);
      const seen = await inclusions.readInclusion(ours);
      if (seen === 'paid') return { kind: 'settled', transaction: ours.hash };
      return { kind: hasExpired ? 'expired' : 'open' };
    },
    async readAffordableSettlements() {
      const { value } = await verifier.chain.call('getBalance', [feePayer, { commitment: 'confirmed' }], balance);
      return value > untouchable ? (BigInt(value) - BigInt(untouchable)) / highestFee : 0n;
    },
    async resend(transactions) {
      const own = transactions.filter(isOurs);
      for (let begin = 0; begin < own.length; begin += mostAtOnce) {
        const sent = await Promise.all(own.slice(begin, begin + mostAtOnce).map(send));
        // Without a node the rest would fail too; each settlement sends its own again.
        if (sent.includes(false)) return;
      }
    },
    // A confirmed block, with votes of two thirds of the stake, has never been dropped.
    watchPaid: () => undefined,
    close: () => closing.abort(),
  };
}
