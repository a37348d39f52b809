import type { Address } from 'viem';
import type { PaidTransaction, SettleTask } from '../../facilitator.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import type { Recheck } from '../../recheck.ts';
import type { SignedAuthorization } from './authorization.ts';
import { isOurs, toEvm } from './evmTransaction.ts';
import type { EvmVerifier } from './evmVerifier.ts';
import { paidInReceipt } from './paidInReceipt.ts';
import type { TransactionSender } from './transactionSender.ts';

/** If none of `paid.sent` is our transaction, only a third party can broadcast the payment again after a reorganisation. */
export type WatchPaid = (task: Pick<SettleTask<SignedAuthorization>, 'key' | 'payment'>, paid: PaidTransaction) => void;

/** Rechecks that the transactions of settled payments stay on chain. */
export function createPaidWatch({
  asset,
  recheck,
  verifier,
  sender,
}: {
  asset: Address;
  recheck: Recheck;
  verifier: EvmVerifier;
  sender: TransactionSender;
}): WatchPaid {
  return ({ key, payment }, { transaction, sent, block }) => {
    const own = sent.filter(isOurs).map(toEvm);
    const paying = own.find(({ hash }) => hash === transaction);
    const resent = paying ?? own.at(-1);
    recheck.add({
      key,
      hash: transaction,
      block: block ?? paying?.fromBlock,
      isPaidIn: (receipt) => paidInReceipt(receipt, asset, payment),
      readStatus: () => readLateStatus(verifier, payment, sent[0]?.fromBlock),
      again: {
        id: resent?.hash ?? transaction,
        send: async () => resent !== undefined && (await sender.resend(resent)) !== 'tooLate',
      },
    });
  };
}
