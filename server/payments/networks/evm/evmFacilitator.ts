import { setMaxListeners } from 'node:events';
import type { Hex } from 'viem';
import type { Facilitator } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { JournaledTransaction, PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { EvmNetworkConfig, PaymentLogger, PaymentTimings } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import { checkAtStart } from '../../paymentVerifier.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import { createSettlementQueue } from '../../settlementQueue.ts';
import type { SignedAuthorization } from './authorization.ts';
import { isOurs, toEvm } from './evmTransaction.ts';
import { createEvmVerifier } from './evmVerifier.ts';
import { createTransactionFollower } from './followTransactions.ts';
import { fitsRecord } from './groupCall.ts';
import { openKeyAccount } from './keyAccount.ts';
import { createLoneTransfers } from './loneTransfers.ts';
import { createTransferPreparer } from './prepareTransfer.ts';
import { pursuePayment } from './pursuePayment.ts';
import { readSettlementState } from './readSettlementState.ts';
import { createRecheck, recordLoss } from './recheckPaid.ts';
import { createEvmSettlement } from './settleEvm.ts';
import { createGroupSettlement, type Member, type Sent } from './settleGroup.ts';
import { createCostReader } from './settlementCost.ts';
import type { TransferNode } from './simulateTransfer.ts';
import { createTransactionSender, type TransactionSender } from './transactionSender.ts';
import { createPaidWatch } from './watchEvmPaid.ts';

/** Dependencies of settlement with our own key that all networks share. */
export interface SettlementDependencies {
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions' | 'lost'>;
  contractWalletGas: GasAllowance;
  onEvent: OnPaymentEvent;
  preconfirmedNetworks: readonly string[];
}

/** Broadcasts our journaled transactions again, lowest nonce first. */
async function resendByNonce(sender: TransactionSender, transactions: readonly JournaledTransaction[]): Promise<void> {
  // The payments of a group share its transaction.
  const distinct = new Map(transactions.filter(isOurs).map((transaction) => [transaction.hash, toEvm(transaction)]));
  for (const transaction of [...distinct.values()].toSorted((left, right) => left.nonce - right.nonce)) {
    // No node replies, so the rest would fail too. Each settlement broadcasts its own transaction again.
    if ((await sender.resend(transaction)) === 'unknown') return;
  }
}

/**
 * Settles EIP-3009 payments on one EVM network with our own key.
 *
 * An authorization moves money at most once, so broadcasting it again is safe for the payer. The token's state of the
 * nonce shows whether it was used.
 */
export function createEvmFacilitator(
  config: EvmNetworkConfig & { facilitatorKey: Hex },
  timings: PaymentTimings,
  logger: PaymentLogger,
  { ledger, contractWalletGas, onEvent, preconfirmedNetworks }: SettlementDependencies,
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset } = config;
  const closing = new AbortController();
  // Each running settlement adds a listener.
  setMaxListeners(0, closing.signal);
  const polling = { signal: closing.signal, logger, network };
  const account = openKeyAccount(config.facilitatorKey);
  const verifier = createEvmVerifier(config, timings);
  const costs = createCostReader(verifier.chain.callVerified, config.pricing);
  const { chain, interval, isSignedByKey } = verifier;
  const node: TransferNode = { chain, chainId, account: account.address, asset, interval };
  const sender = createTransactionSender({
    account,
    chainId,
    chain,
    logger,
    ledger,
    onIncluded: (hash, included) => follower.note(hash, included),
  });
  const preparer = createTransferPreparer({ network, node, sender, costs, contractWalletGas, logger, isSignedByKey });
  const follower = createTransactionFollower({
    ...{ ...polling, chain, interval, sender, account: account.address },
    acceptsPreconfirmed: preconfirmedNetworks.includes(network),
    timings,
  });

  const shared = { network, node, verifier, sender, preparer, follower, costs, logger, onEvent };
  const { confirmRefusal, verify, sendTransfer, sendAlone } = createLoneTransfers(shared);
  const queue = createSettlementQueue(createGroupSettlement({ ...shared, sendAlone }));
  /**
   * Contract wallets are settled alone, as are amounts and times that fit no record. A key that delegates to code is
   * found by the simulation.
   */
  const sendFirst = (member: Member): Promise<Sent> =>
    isSignedByKey(member.task.payment) && fitsRecord(member.task.payment) ? queue.add(member) : sendAlone(member);
  const recheck = createRecheck({
    ...polling,
    call: verifier.chain.call,
    everyMs: timings.recheckMs,
    onLost: recordLoss(network, { ledger, onEvent, logger }),
  });
  const watchPaid = createPaidWatch({ asset, recheck, verifier, sender });
  const pursuit = { ...shared, sendFirst, sendTransfer };
  const settle = createEvmSettlement({
    verifier,
    preparer,
    sendFirst,
    confirmRefusal,
    pursue: (member, sent) => pursuePayment(pursuit, member, sent),
    watchPaid,
    polling,
    network,
    costs,
    onEvent,
  });

  return {
    network,
    spendsOurGas: true,
    start: () => checkAtStart(polling, verifier.check),
    offerExtra: async () => ({}),
    queue: () => queue.state(),
    verifyPayload: (payment, terms, nowSeconds) => verifier.verifyPayload(payment, terms, nowSeconds),
    isSigned: (payment, terms, nowSeconds) => verifier.isSigned(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    readLateStatus: (payment, sent) => readLateStatus(verifier, payment, sent[0]?.fromBlock),
    account: account.address,
    readSettlementState: () => readSettlementState(verifier.chain, config, account.address),
    resend: (transactions) => resendByNonce(sender, transactions),
    watchPaid,
    close: () => closing.abort(),
  };
}
