import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  address,
  getBase58Decoder,
  getBase64Decoder,
  getTransactionEncoder,
  type SignatureBytes,
  signBytes,
} from '@solana/kit';
import type { CashierTimings, PaymentLogger, SvmPaymentNetwork } from '../cashierConfig.ts';
import { type ChainUnreachableError, createChainCall, isChainTrouble, type NodeRefusalError } from '../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../facilitator.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';
import { checkSigners } from './checkSigners.ts';
import { checkSvmNetwork } from './checkSvmNetwork.ts';
import { feePayerAddress, openFeePayerKey } from './feePayerKey.ts';
import { findTransactionFault } from './findTransactionFault.ts';
import { simulateTransaction } from './simulateTransaction.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import { tokenAccountOf } from './tokenAccountOf.ts';
import { watchSignature } from './watchSignature.ts';

/** After a node failed us while a transaction is out. */
const outagePauseMs = 1_000;

const failed = (detail: string): SettleOutcome => ({
  kind: 'refused',
  reason: 'invalid_exact_svm_transaction_failed',
  detail,
});

/**
 * Settles `exact` payments on Solana, with a key of ours as fee payer.
 *
 * Our signature is the same whenever we sign the same message, and the network takes a transaction once: so signing
 * and sending again are always safe, and the status of that one signature decides every doubt.
 */
export function createSvmFacilitator(
  config: SvmPaymentNetwork,
  timings: CashierTimings,
  logger: PaymentLogger,
): Facilitator<SvmTransaction> {
  const { network } = config;
  const mint = address(config.asset);
  const payTo = address(config.payTo);
  const feePayer = feePayerAddress(config.facilitatorKey);
  const call = createChainCall(config.rpcUrls, timings.rpcTimeoutMs);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const destination = tokenAccountOf(payTo, mint);
  let checked: Promise<void> | undefined;

  /** Once per process; an outage leaves it to the next payment. */
  function checkOnce(): Promise<void> {
    checked ??= destination
      .then((account) => checkSvmNetwork(call, config, account))
      .catch((error) => {
        checked = undefined;
        throw error;
      });
    return checked;
  }

  async function sign({ transaction }: SvmTransaction): Promise<{ hash: string; raw: string }> {
    const { privateKey } = await openFeePayerKey(config.facilitatorKey);
    const signature: SignatureBytes = await signBytes(privateKey, transaction.messageBytes);
    const signed = { ...transaction, signatures: { ...transaction.signatures, [feePayer]: signature } };
    const raw = getBase64Decoder().decode(getTransactionEncoder().encode(signed));
    return { hash: getBase58Decoder().decode(signature), raw };
  }

  /** Never throws for what a node answers or does not answer: the status of the signature will tell. */
  async function send({ hash, raw }: JournaledTransaction): Promise<boolean> {
    try {
      await call('sendTransaction', [raw, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]);
      return true;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, hash, cause: error.message }, 'No good reply to a broadcast; the status will tell');
      return false;
    }
  }

  /** Signed, found to fit, and written down; not sent yet. */
  async function prepare(task: SettleTask<SvmTransaction>): Promise<JournaledTransaction | SettleOutcome> {
    try {
      await checkOnce();
      const signed = await sign(task.payment);
      const simulated = await simulateTransaction(call, signed.raw);
      if (simulated.kind === 'refused') return simulated;
      if (simulated.kind === 'poor') {
        logger.error({ network, feePayer }, 'The fee payer has too little SOL to settle payments');
        return { kind: 'unavailable' };
      }
      const height = await call<number>('getBlockHeight', [{ commitment: 'confirmed' }]);
      const transaction = { ...signed, nonce: 0, fromBlock: BigInt(height) };
      await task.journal(transaction);
      return transaction;
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      return reportUnsent(error);
    }
  }

  function reportUnsent(error: ChainUnreachableError | NodeRefusalError): SettleOutcome {
    logger.warn({ network, cause: error.message }, 'A payment could not be sent');
    return { kind: 'unavailable' };
  }

  async function verify({ transaction }: SvmTransaction): Promise<VerifyOutcome> {
    try {
      await checkOnce();
      const unsigned = getBase64Decoder().decode(getTransactionEncoder().encode(transaction));
      const simulated = await simulateTransaction(call, unsigned);
      if (simulated.kind === 'refused') return simulated;
      return simulated.kind === 'poor' ? { kind: 'unavailable' } : { kind: 'valid' };
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  async function pursue(transaction: JournaledTransaction): Promise<SettleOutcome> {
    const seen = await watchSignature({
      call,
      transaction,
      send: () => send(transaction),
      timings,
      signal: closing.signal,
    });
    if (seen.kind === 'paid') return { kind: 'settled', transaction: transaction.hash };
    if (seen.kind === 'failed') return failed('The transfer failed on chain and moved nothing. Sign a new one.');
    return failed('No block took the transaction before it ran out, and none can now. Sign a new one.');
  }

  return {
    network,
    async start() {
      // Told at start, not with the first payment: a key whose halves do not fit.
      await openFeePayerKey(config.facilitatorKey);
      try {
        await checkOnce();
      } catch (error) {
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    async examine(payment, terms) {
      const { transfer } = payment;
      const fault = findTransactionFault(payment, terms, {
        feePayer,
        source: transfer && (await tokenAccountOf(transfer.authority, mint)),
        destination: await destination,
      });
      return fault ? { kind: 'invalid', ...fault } : checkSigners(payment);
    },
    verify,
    async settle(task) {
      const prepared = task.sent.at(-1) ?? (await prepare(task));
      if ('kind' in prepared) return prepared;
      while (!closing.signal.aborted) {
        try {
          return await pursue(prepared);
        } catch (error) {
          if (closing.signal.aborted) break;
          if (!isChainTrouble(error)) throw error;
          logger.warn({ network, cause: error.message }, 'A settlement cannot be followed now');
        }
        await sleep(outagePauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
      return { kind: 'unknown' };
    },
    async resend(transactions) {
      for (const transaction of transactions) {
        // Without a node there is no use in the rest; each settlement sends its own again.
        if (!(await send(transaction))) return;
      }
    },
    close: () => closing.abort(),
  };
}
