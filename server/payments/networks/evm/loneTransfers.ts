import { isChainError } from '../../chainCall.ts';
import { confirmUnpaid } from '../../confirmUnpaid.ts';
import type { SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import type { Member, Sent } from './settleGroup.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import type { TransactionSender, UnsignedCall } from './transactionSender.ts';

/** Verifies and sends payments separately, each with its own simulation. */
export function createLoneTransfers({
  network,
  node,
  verifier,
  preparer,
  sender,
  logger,
}: {
  network: string;
  node: TransferNode;
  verifier: EvmVerifier;
  preparer: TransferPreparer;
  sender: TransactionSender;
  logger: PaymentLogger;
}) {
  /**
   * Compares a refusal of a payment that this service has not sent with the chain: a third party may have sent it. Until
   * its status is known, the outcome is unknown.
   */
  async function confirmRefusal(
    payment: SignedAuthorization,
    refusal: Extract<SettleOutcome, { kind: 'refused' }>,
  ): Promise<SettleOutcome> {
    try {
      return (await confirmUnpaid(verifier, payment, refusal)) ?? { kind: 'unknown' };
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn(
        { network, cause: error.message },
        'The status of a rejected payment cannot be read; its outcome is unknown',
      );
      return { kind: 'unknown' };
    }
  }

  async function verify({ payment }: { payment: SignedAuthorization }): Promise<VerifyOutcome> {
    try {
      await verifier.check();
      const simulated = await preparer.simulate(payment);
      if (!('reason' in simulated)) return { kind: 'valid' };
      const found = await confirmRefusal(payment, { kind: 'refused', ...simulated });
      if (found.kind === 'refused') return found;
      return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  const sendTransfer = (
    { payment, key }: SettleTask<SignedAuthorization>,
    plan: Pick<UnsignedCall, 'gas' | 'fees'>,
  ): Promise<EvmTransaction> => sender.send({ ...plan, to: node.asset, data: transferData(payment) }, [key]);

  async function sendAlone({ task, spending }: Member): Promise<Sent> {
    try {
      await verifier.check();
      const checkingFunds = task.checkFunds();
      // Awaited only after `prepare`, so that an amount taken from the gas budget is recorded in `spending` first.
      checkingFunds.catch(() => undefined);
      const prepared = await preparer.prepare(task, spending);
      if (prepared.kind !== 'ready') return prepared;
      return (await checkingFunds) ?? (await sendTransfer(task, prepared));
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  return { confirmRefusal, verify, sendTransfer, sendAlone };
}
