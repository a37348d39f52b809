import { isChainError } from '../../chainCall.ts';
import type { SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import type { TransferPreparer } from './prepareTransfer.ts';
import type { TransferRefusal } from './revertReason.ts';
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
   * Reads the status of a payment whose simulation was rejected. If its authorization is used, the outcome is that of the
   * transaction that used it; until that transaction is found, the refusal must not claim that nothing was charged.
   */
  async function findUse(
    payment: SignedAuthorization,
    refusal: TransferRefusal,
  ): Promise<Extract<SettleOutcome, { kind: 'settled' | 'refused' | 'unknown' }>> {
    try {
      const status = await verifier.readStatus(payment);
      if (status.kind !== 'unused') return status;
      const isContradicted = refusal.reason === 'invalid_exact_evm_nonce_already_used';
      return isContradicted ? { kind: 'unknown' } : { kind: 'refused', ...refusal };
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
      const found = await findUse(payment, simulated);
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
      if (prepared.kind === 'refused') {
        return await findUse(task.payment, prepared);
      }
      if (prepared.kind !== 'ready') return prepared;
      return (await checkingFunds) ?? (await sendTransfer(task, prepared));
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  return { findUse, verify, sendTransfer, sendAlone };
}
