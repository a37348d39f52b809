import { setMaxListeners } from 'node:events';
import { type Hex, parseTransaction } from 'viem';
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
import { readAuthorizationStatus } from './authorizationStatus.ts';
import { createEvmVerifier, spentOutcome } from './evmVerifier.ts';
import { createTransactionFollower, type Follower } from './followTransactions.ts';
import { recordsOfGroup } from './groupCall.ts';
import { openKeyAccount } from './keyAccount.ts';
import { quantity } from './nodeAnswers.ts';
import { countPaid, feeOf, paidInReceipt } from './paidInReceipt.ts';
import { createTransferPreparer, type Spending } from './prepareTransfer.ts';
import { createRecheck, recordLoss } from './recheckPaid.ts';
import type { TransferRefusal } from './revertReason.ts';
import { createGroupSettlement, type Member, type Sent } from './settleGroup.ts';
import { affordableGas, createCostReader } from './settlementCost.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type UnsignedCall } from './transactionSender.ts';

/** New transactions for one payment whose nonce was taken by another one; more means that another service uses the key. */
const sendLimit = 5;
/** What one settlement takes, rounded up. */
const gasOfTransfer = 120_000n;
/** Calldata of the usual length: a transfer signed by an account without code. */
const usualData: Hex = `0x${'00'.repeat(356)}`;
/** A remote facilitator that settled here before has left no bytes of its own. */
const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
/** The journal of an EVM network holds what our sender wrote. */
const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/** A group is a contract creation; a lone transfer calls the token. */
const isLone = ({ raw }: EvmTransaction): boolean => Boolean(parseTransaction(raw).to);

/** One payment's part of a transaction's fee. */
function shareOf(fee: bigint | undefined, transaction: EvmTransaction | undefined): bigint | undefined {
  if (fee === undefined || !transaction || isLone(transaction)) return fee;
  const { data = '0x' } = parseTransaction(transaction.raw);
  return fee / BigInt(Math.max(1, recordsOfGroup(data).length));
}

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

  const queue = createSettlementQueue(
    createGroupSettlement({
      network,
      node,
      preparer,
      sender,
      follower,
      costs,
      logger,
      check: () => verifier.check(),
      sendAlone,
      findUse,
      onSent: (payments) => onEvent({ kind: 'transaction sent', network, payments }),
    }),
  );

  /** Contract wallets are settled alone. A key that delegates to code is found by the simulation. */
  const sendFirst = (member: Member): Promise<Sent> =>
    verifier.isSignedByKey(member.task.payment) ? queue.add(member) : sendAlone(member);

  /** Follows the sent transactions once. Undefined: a new transaction was sent, follow again. */
  async function pursue(member: Member, sent: EvmTransaction[]): Promise<SettleOutcome | undefined> {
    const { task, spending } = member;
    const { payment, key } = task;
    const noncesSpent = () => new Set(sent.map(({ nonce }) => nonce)).size;
    const own: Follower = {
      key,
      async affordableWei() {
        const cost = await costs.read(transferData(payment));
        return cost.kind === 'read' ? affordableGas(BigInt(task.terms.amount), cost) : undefined;
      },
    };
    const end = await follower.follow(sent, own);

    if (end.kind === 'mined' && paidInReceipt(end.receipt, asset, payment)) {
      const { transactionHash, blockNumber } = end.receipt;
      const usd = costs.toUsd((feeOf(end.receipt) ?? 0n) / BigInt(countPaid(end.receipt, asset)));
      if (usd !== undefined) onEvent({ kind: 'gas paid', network, usd });
      return { kind: 'settled', transaction: transactionHash, block: BigInt(blockNumber) };
    }
    if (end.kind === 'stranded') {
      if (noncesSpent() < sendLimit) {
        logger.error(
          { network, hash: sent.at(-1)?.hash },
          'A nonce before that of a payment is missing; sending it in a new transaction',
        );
        const next = await sendFirst(member);
        if (!('kind' in next)) {
          sent.push(next);
          return undefined;
        }
      }
      // The old transaction is included once its gap is filled, so only the payment's status on chain ends this.
      const stranded = await verifier.readStatus(payment, sent[0]?.fromBlock);
      return stranded.kind === 'unused' ? undefined : stranded;
    }
    const isFailed = end.kind === 'mined';
    const sentNow = sent.length > task.sent.filter(isOurs).length;
    // A failure that an earlier refusal counted is not counted again.
    if (isFailed && (sentNow || !task.wasRefused)) spending.lost.push(shareOf(feeOf(end.receipt), sent.at(-1)));
    const at = isFailed ? end.receipt.blockNumber : 'latest';
    const status = await readAuthorizationStatus(call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (status.kind === 'paid') return { kind: 'settled', transaction: status.transaction };
    if (status.kind === 'spent') return spentOutcome(status.spent, payment);
    const simulated = await simulate(payment);
    if ('reason' in simulated) {
      // Used after the block of the failed transaction: only a look at the newest block shows by which one.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') {
        const now = await verifier.readStatus(payment, sent[0]?.fromBlock ?? 0n);
        return now.kind === 'unused' ? undefined : now;
      }
      return { kind: 'refused', ...simulated };
    }
    // A payment that failed in an earlier attempt or in a group is tried once more, alone. A transfer that this attempt
    // already sent alone is not, or a wallet could make us burn gas.
    const newest = sent.at(-1);
    const failedAlone = isFailed && sentNow && newest !== undefined && isLone(newest);
    if (failedAlone || noncesSpent() >= sendLimit) {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_failed',
        detail: 'The transfer failed on chain and moved nothing. Send the same payment again, or sign a new one.',
      };
    }
    const shortage = await task.checkFunds();
    if (shortage) return shortage;
    const prepared = await prepare(task, spending);
    if (prepared.kind !== 'ready') return prepared;
    sent.push(await sendTransfer(task, prepared));
    return undefined;
  }

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
    return outcome.kind === 'refused' && spending.lost.length > 0 ? { ...outcome, failedOnChain: true } : outcome;
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
        // Without a node there is no use in the rest; each settlement sends its own again.
        if ((await sender.resend(transaction)) === 'unsure') return;
      }
    },
    watchPaid,
    close: () => closing.abort(),
  };
}
