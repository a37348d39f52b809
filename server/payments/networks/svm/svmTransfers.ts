import {
  type Address,
  getBase58Decoder,
  getBase64Decoder,
  getTransactionEncoder,
  type SignatureBytes,
  signBytes,
} from '@solana/kit';
import { isChainError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { JournaledTransaction } from '../../ledger/ledgerTypes.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import { feePayerAddress, openFeePayerKey } from './feePayerKey.ts';
import { natural, signature } from './nodeAnswers.ts';
import { simulateTransaction } from './simulateTransaction.ts';
import type { SvmTransaction } from './svmTransaction.ts';
import type { SvmVerifier } from './svmVerifier.ts';

export interface NewTransaction {
  transaction: JournaledTransaction;
  /** A node accepted the broadcast. */
  isSent: boolean;
}

interface TransferConfig {
  network: string;
  verifier: SvmVerifier;
  /** Key pair of the fee payer. */
  key: string;
  logger: PaymentLogger;
}

/** Adds our signature as fee payer. The hash of a transaction is the fee payer's signature. */
async function sign(
  { key, feePayer }: { key: string; feePayer: Address },
  { transaction }: SvmTransaction,
): Promise<{ hash: string; raw: string }> {
  const { privateKey } = await openFeePayerKey(key);
  const own: SignatureBytes = await signBytes(privateKey, transaction.messageBytes);
  const signed = { ...transaction, signatures: { ...transaction.signatures, [feePayer]: own } };
  const raw = getBase64Decoder().decode(getTransactionEncoder().encode(signed));
  return { hash: getBase58Decoder().decode(own), raw };
}

/** Simulates, signs and sends payments with our own key as fee payer. */
export function createSvmTransfers({ network, verifier, key, logger }: TransferConfig) {
  const feePayer = feePayerAddress(key);
  const { call, callVerified } = verifier.chain;

  /** Broadcasts a transaction; false if no node replied. Never rejects because of a node. */
  async function send({ hash, raw }: JournaledTransaction): Promise<boolean> {
    try {
      const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
      await call('sendTransaction', [raw, options], signature);
      return true;
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn(
        { network, hash, cause: error.message },
        'No valid reply to a broadcast; the status will show the outcome',
      );
      return false;
    }
  }

  /**
   * Simulates, signs, journals and broadcasts a payment. Our signature is sent only after it is journaled.
   *
   * A message that a block already contains is signed and journaled too: its signature is the same, and the status of
   * the signature shows the outcome.
   */
  async function sendNew(task: SettleTask<SvmTransaction>): Promise<NewTransaction | SettleOutcome> {
    try {
      await verifier.check();
      const checkingFunds = task.checkFunds();
      // Awaited below: prevents an unhandled rejection if an earlier step throws.
      checkingFunds.catch(() => undefined);
      // The blockhash is older than the request, so the height can be read concurrently with the simulation.
      const [simulated, height] = await Promise.all([
        simulateTransaction(callVerified, task.payment, feePayer),
        callVerified('getBlockHeight', [{ commitment: 'confirmed' }], natural),
      ]);
      if (simulated.kind === 'refused') return simulated;
      if (simulated.kind === 'feePayerEmpty') {
        logger.error({ network, feePayer }, 'The fee payer has too little SOL to settle payments');
        return { kind: 'unavailable' };
      }
      // An included payment has already reduced the balance.
      const shortage = simulated.kind === 'alreadyProcessed' ? undefined : await checkingFunds;
      if (shortage) return shortage;
      const transaction = { ...(await sign({ key, feePayer }, task.payment)), nonce: 0, fromBlock: BigInt(height) };
      await task.journal(transaction);
      return { transaction, isSent: await send(transaction) };
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  async function verify({ payment }: { payment: SvmTransaction }): Promise<VerifyOutcome> {
    try {
      await verifier.check();
      const simulated = await simulateTransaction(callVerified, payment, feePayer);
      if (simulated.kind === 'refused') return simulated;
      if (simulated.kind === 'alreadyProcessed') return { kind: 'used' };
      return simulated.kind === 'feePayerEmpty' ? { kind: 'unavailable' } : { kind: 'valid' };
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  return { verify, send, sendNew };
}
