import { setMaxListeners } from 'node:events';
import type { Hex } from 'viem';
import { ChainUnreachableError, isChainTrouble } from '../../chainCall.ts';
import type { Facilitator, PaidTransaction, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { JournaledTransaction, PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { EvmNetworkConfig, PaymentLogger, PaymentTimings } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import { pollUntilKnown } from '../../pollUntilKnown.ts';
import { readLateStatus } from '../../readLateStatus.ts';
import { createSettlementQueue } from '../../settlementQueue.ts';
import type { SignedAuthorization } from './authorization.ts';
import { createEvmVerifier } from './evmVerifier.ts';
import { createTransactionFollower } from './followTransactions.ts';
import { openKeyAccount } from './keyAccount.ts';
import { quantity } from './nodeAnswers.ts';
import { paidInReceipt } from './paidInReceipt.ts';
import { createTransferPreparer, type Spending } from './prepareTransfer.ts';
import { createPursuit, failedOutcome, isOurs } from './pursuePayment.ts';
import { createRecheck, recordLoss } from './recheckPaid.ts';
import type { TransferRefusal } from './revertReason.ts';
import { createGroupSettlement, type Member, type Sent } from './settleGroup.ts';
import { createCostReader } from './settlementCost.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type UnsignedCall } from './transactionSender.ts';

/** Gas of one settlement, rounded up. */
const gasOfTransfer = 120_000n;
/** Calldata of the usual length: a transfer signed by an account without code. */
const usualData: Hex = `0x${'00'.repeat(356)}`;
/** The journal of an EVM network holds what our sender wrote. */
const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/** Dependencies of settlement with our own key, beside the network. */
export interface SettlementMeans {
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions' | 'lost'>;
  contractWalletGas: GasAllowance;
  onEvent: OnPaymentEvent;
  preconfirmedNetworks: readonly string[];
}

/**
 * Settles EIP-3009 payments on one EVM network with our own key.
 *
 * An authorization moves money at most once, however often it is sent. Sending it again is therefore safe for the payer,
 * and the token's state of its nonce resolves every doubt.
 */
export function createEvmFacilitator(
  config: EvmNetworkConfig & { facilitatorKey: Hex },
  timings: PaymentTimings,
  logger: PaymentLogger,
  { ledger, contractWalletGas, onEvent, preconfirmedNetworks }: SettlementMeans,
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset } = config;
  const account = openKeyAccount(config.facilitatorKey);
  const verifier = createEvmVerifier(config, timings);
  const { call, callProven } = verifier.chain;
  const costs = createCostReader(callProven, config.pricing);
  const node: TransferNode = { chain: verifier.chain, chainId, account: account.address, asset };
  const sender = createTransactionSender({
    account,
    chainId,
    chain: verifier.chain,
    logger,
    ledger,
    onIncluded: (hash, included) => follower.note(hash, included),
  });
  const closing = new AbortController();
  // Every settlement in flight sleeps on it.
  setMaxListeners(0, closing.signal);
  const recheck = createRecheck({
    network,
    call,
    everyMs: timings.recheckMs,
    logger,
    signal: closing.signal,
    onLost: recordLoss(network, { ledger, onEvent, logger }),
  });
  /** `sent`: what was journaled for it. Without own transaction, only a third party can bring the payment back. */
  function watchPaid(
    { key, payment }: Pick<SettleTask<SignedAuthorization>, 'key' | 'payment'>,
    { transaction, sent, block }: PaidTransaction,
  ): void {
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
  }
  const patience = { signal: closing.signal, logger, network };
  const preparer = createTransferPreparer({ network, node, sender, costs, contractWalletGas, logger });
  const { simulate, prepare, releaseGas } = preparer;
  const follower = createTransactionFollower({
    network,
    chain: verifier.chain,
    sender,
    account: account.address,
    acceptsPreconfirmed: preconfirmedNetworks.includes(network),
    timings,
    logger,
    signal: closing.signal,
  });

  const sendTransfer = ({ payment, key }: SettleTask<SignedAuthorization>, plan: Pick<UnsignedCall, 'gas' | 'fees'>) =>
    sender.send({ ...plan, to: asset, data: transferData(payment) }, [key]);

  /**
   * A rejected simulation does not show whether money moved: if the authorization is used, the transaction that used it
   * decides. While the chain does not show that transaction, the answer must not claim that nothing was charged.
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
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'The use of an authorization cannot be read now');
      return { kind: 'unknown' };
    }
  }

  async function verify({ payment }: { payment: SignedAuthorization }): Promise<VerifyOutcome> {
    try {
      await verifier.check();
      const simulated = await simulate(payment);
      if (!('reason' in simulated)) return { kind: 'valid' };
      const found = await findUse(payment, simulated);
      if (found.kind === 'refused') return found;
      return found.kind === 'settled' ? { kind: 'used' } : { kind: 'unavailable' };
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  async function sendAlone({ task, spending }: Member): Promise<Sent> {
    try {
      await verifier.check();
      const checkingFunds = task.checkFunds();
      // Awaited below; what `prepare` takes from a budget must be known before this ends.
      checkingFunds.catch(() => undefined);
      const prepared = await prepare(task, spending);
      if (prepared.kind === 'refused') {
        return await findUse(task.payment, prepared);
      }
      if (prepared.kind !== 'ready') return prepared;
      return (await checkingFunds) ?? (await sendTransfer(task, prepared));
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  const shared = { network, preparer, follower, costs, logger };
  const queue = createSettlementQueue(
    createGroupSettlement({
      ...shared,
      node,
      sender,
      check: () => verifier.check(),
      sendAlone,
      findUse,
      onSent: (payments) => onEvent({ kind: 'transaction sent', network, payments }),
    }),
  );

  /** Contract wallets are settled alone. A key that delegates to code is found by the simulation. */
  const sendFirst = (member: Member): Promise<Sent> =>
    verifier.isSignedByKey(member.task.payment) ? queue.add(member) : sendAlone(member);

  const pursue = createPursuit({
    ...shared,
    asset,
    call,
    verifier,
    sendFirst,
    sendTransfer,
    onEvent,
  });

  /** Status of a payment that a remote facilitator was asked to settle. */
  async function readForeignStatus({ payment, sent }: SettleTask<SignedAuthorization>) {
    return pollUntilKnown(() => verifier.readStatus(payment, sent[0]?.fromBlock ?? 0n), patience);
  }

  /** A remote facilitator may settle a payment after it refused it: then the token shows that it is used. */
  async function heldToChain(task: SettleTask<SignedAuthorization>, refusal: SettleOutcome): Promise<SettleOutcome> {
    const status = await readForeignStatus(task);
    if (!status) return { kind: 'unknown' };
    return status.kind === 'settled' ? status : refusal;
  }

  async function settle(task: SettleTask<SignedAuthorization>): Promise<SettleOutcome> {
    const sent = task.sent.filter(isOurs).map(toEvm);
    if (sent.length === 0 && task.sent.length > 0 && !task.wasRefused) {
      const status = await readForeignStatus(task);
      if (status?.kind === 'settled') watchPaid(task, { ...status, sent: task.sent });
      if (status?.kind !== 'unused') return status ?? { kind: 'unknown' };
    }
    const spending: Spending = { held: 0n, lost: [] };
    const outcome = await settleSent({ task, spending }, sent);
    if (outcome.kind === 'settled') watchPaid(task, { ...outcome, sent });
    await releaseGas(spending, outcome, BigInt(task.terms.amount));
    if (spending.lost.length === 0) return outcome;
    // A limit on the next attempt does not undo that this one cost gas.
    if (outcome.kind === 'limited') return { ...failedOutcome, failedOnChain: true };
    return outcome.kind === 'refused' ? { ...outcome, failedOnChain: true } : outcome;
  }

  async function settleSent(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome> {
    const { task } = member;
    if (sent.length === 0) {
      const first = await sendFirst(member);
      if ('kind' in first) return first.kind === 'refused' && task.sent.length > 0 ? heldToChain(task, first) : first;
      sent.push(first);
    }
    return (await pollUntilKnown(() => pursue(member, sent), patience)) ?? { kind: 'unknown' };
  }

  return {
    network,
    spendsOurGas: true,
    async start() {
      try {
        await verifier.check();
      } catch (error) {
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    offerExtra: async () => ({}),
    queue: () => queue.state(),
    examine: (payment, terms, nowSeconds) => verifier.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => verifier.readFunds(payment, open),
    verify,
    settle,
    readLateStatus: (payment, sent) => readLateStatus(verifier, payment, sent[0]?.fromBlock ?? 0n),
    async readGas() {
      const [balance, { maxFeePerGas }, cost] = await Promise.all([
        call('eth_getBalance', [account.address, 'latest'], quantity),
        sender.readFees(),
        costs.read(usualData),
      ]);
      if (cost.kind === 'unreadable') throw new ChainUnreachableError(`Not read: ${cost.what}.`);
      const settlement = gasOfTransfer * maxFeePerGas + cost.l1Fee;
      return balance / (settlement > 0n ? settlement : 1n);
    },
    async resend(transactions) {
      // The payments of a group share its transaction.
      const distinct = new Map(
        transactions.filter(isOurs).map((transaction) => [transaction.hash, toEvm(transaction)]),
      );
      for (const transaction of [...distinct.values()].toSorted((left, right) => left.nonce - right.nonce)) {
        // Without a node the rest would fail too; each settlement sends its own again.
        if ((await sender.resend(transaction)) === 'unsure') return;
      }
    },
    watchPaid,
    close: () => closing.abort(),
  };
}
