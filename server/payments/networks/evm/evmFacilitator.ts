import { setMaxListeners } from 'node:events';
import { type Hex, parseTransaction } from 'viem';
import type { CashierTimings, EvmPaymentNetwork, PaymentLogger } from '../../cashierConfig.ts';
import { ChainUnreachableError, isChainTrouble } from '../../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../../facilitator.ts';
import type { GasAllowance } from '../../gasAllowance.ts';
import type { JournaledTransaction, PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import { readLateFate } from '../../readLateFate.ts';
import { createSettlementQueue } from '../../settlementQueue.ts';
import { untilTold } from '../../untilTold.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';
import { createEvmWitness, spentOutcome } from './evmWitness.ts';
import { createTransactionFollower, type Follower } from './followTransactions.ts';
import { recordsOfGroup } from './groupCall.ts';
import { openKeyAccount } from './keyAccount.ts';
import { quantity } from './nodeAnswers.ts';
import { countPaid, feeOf, paidInReceipt } from './paidInReceipt.ts';
import { createTransferPreparer, type Spending } from './prepareTransfer.ts';
import { createRecheck } from './recheckPaid.ts';
import type { TransferRefusal } from './revertReason.ts';
import { createGroupSettlement, type Member, type Sent } from './settleGroup.ts';
import { affordableGas, createCostReader } from './settlementCost.ts';
import { type TransferNode, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type UnsignedCall } from './transactionSender.ts';

/** New transactions for one payment after its nonce went to another one; more means somebody else uses the key. */
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

/** What settling on networks with a key of ours needs beside the network. */
export interface SettlementMeans {
  ledger: Pick<PaymentLedger, 'journalAll' | 'journalNext' | 'loadOpenTransactions' | 'lost'>;
  contractWalletGas: GasAllowance;
  concurrentGas: GasAllowance;
  onEvent: OnPaymentEvent;
  preconfirmedNetworks: readonly string[];
}

/**
 * Settles EIP-3009 payments on one EVM network with a key of ours.
 *
 * An authorization's own nonce can move money once, whatever we send and however often; so sending
 * again is always safe for the payer, and the token's word about that nonce decides every doubt.
 */
export function createEvmFacilitator(
  config: EvmPaymentNetwork & { facilitatorKey: Hex },
  timings: CashierTimings,
  logger: PaymentLogger,
  { ledger, contractWalletGas, concurrentGas, onEvent, preconfirmedNetworks }: SettlementMeans,
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset } = config;
  const account = openKeyAccount(config.facilitatorKey);
  const witness = createEvmWitness(config, timings);
  const { call, callProven } = witness.chain;
  const costs = createCostReader(callProven, config.pricing);
  const node: TransferNode = { chain: witness.chain, chainId, account: account.address, asset };
  const sender = createTransactionSender({
    account,
    chainId,
    chain: witness.chain,
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
    onLost(key) {
      onEvent({ kind: 'payment lost', network });
      if (key === undefined) return;
      ledger.lost(key).catch((err) => logger.error({ payment: key, err }, 'A loss could not be recorded'));
    },
  });
  async function sendAgain(transaction: EvmTransaction): Promise<Hex | undefined> {
    return (await sender.resend(transaction)) === 'tooLate' ? undefined : transaction.hash;
  }
  const watch = (
    transaction: EvmTransaction,
    block: bigint,
    { key, payment }: { key?: string | undefined; payment?: SignedAuthorization } = {},
  ): void =>
    recheck.add({
      key,
      hash: transaction.hash,
      block,
      sendAgain: () => sendAgain(transaction),
      ...(payment && { isPaidIn: (receipt) => paidInReceipt(receipt, asset, payment) }),
    });
  const patience = { signal: closing.signal, logger, network };
  const preparer = createTransferPreparer({ network, node, sender, costs, contractWalletGas, concurrentGas, logger });
  const { simulate, prepare, releaseGas } = preparer;
  const follower = createTransactionFollower({
    network,
    chain: witness.chain,
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
      const fate = await witness.readFate(payment);
      if (fate.kind !== 'unused') return fate;
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
      await witness.check();
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
      await witness.check();
      const checkingFunds = task.checkFunds();
      // Awaited below; what `prepare` takes from a budget must be known before this ends.
      checkingFunds.catch(() => undefined);
      const prepared = await prepare(task, spending);
      if (prepared.kind === 'refused') {
        const found = await findUse(task.payment, prepared);
        // We cannot resend a third party's transaction if the chain drops it; the log reports that.
        if (found.kind === 'settled') recheck.add({ hash: found.transaction, sendAgain: async () => undefined });
        return found;
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
      check: () => witness.check(),
      sendAlone,
      findUse,
      onSent: (payments) => onEvent({ kind: 'transaction sent', network, payments }),
    }),
  );

  /** Contract wallets are settled alone. A key that delegates to code is found by the simulation. */
  const sendFirst = (member: Member): Promise<Sent> =>
    witness.isSignedByKey(member.task.payment) ? queue.add(member) : sendAlone(member);

  /** One round of finding out, with transactions out. Undefined: a new transaction has been sent, look again. */
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
      const ours = sent.find(({ hash }) => hash === transactionHash);
      const usd = costs.toUsd((feeOf(end.receipt) ?? 0n) / BigInt(countPaid(end.receipt, asset)));
      if (usd !== undefined) onEvent({ kind: 'gas paid', network, usd });
      if (ours) watch(ours, BigInt(blockNumber), { key, payment });
      return { kind: 'settled', transaction: transactionHash };
    }
    if (end.kind === 'stranded') {
      if (noncesSpent() >= sendLimit) return undefined;
      logger.error(
        { network, hash: sent.at(-1)?.hash },
        'A nonce before that of a payment is missing; sending it anew',
      );
      const anew = await sendFirst(member);
      // Without a new transaction the old one is followed further.
      if (!('kind' in anew)) sent.push(anew);
      return undefined;
    }
    const isFailed = end.kind === 'mined';
    const sentNow = sent.length > task.sent.filter(isOurs).length;
    // A failure that an earlier refusal counted is not counted again.
    if (isFailed && (sentNow || !task.wasRefused)) spending.lost.push(shareOf(feeOf(end.receipt), sent.at(-1)));
    const at = isFailed ? end.receipt.blockNumber : 'latest';
    const fate = await readAuthorizationFate(call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (fate.kind === 'paid') {
      // Another transaction was faster: should the chain drop that one, ours pays.
      const ours = sent.at(-1);
      if (ours) recheck.add({ hash: fate.transaction, sendAgain: () => sendAgain(ours) });
      return { kind: 'settled', transaction: fate.transaction };
    }
    if (fate.kind === 'spent') return spentOutcome(fate.spent, payment);
    const simulated = await simulate(payment);
    if ('reason' in simulated) {
      // Used after the block of the failed transaction: only a look at the newest block shows by which one.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') {
        const now = await witness.readFate(payment, sent[0]?.fromBlock ?? 0n);
        return now.kind === 'unused' ? undefined : now;
      }
      return { kind: 'refused', ...simulated };
    }
    // What an earlier try left failed is tried once more, and what failed in a group is tried alone. A transfer that this
    // try sent alone is not, or a wallet could make us burn gas.
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

  /** What became of a payment that a remote facilitator was asked to settle. */
  async function readForeignFate({ payment, sent }: SettleTask<SignedAuthorization>) {
    return untilTold(() => witness.readFate(payment, sent[0]?.fromBlock ?? 0n), patience);
  }

  /** What a remote facilitator refused it may have settled later: then the token says that it is used. */
  async function heldToChain(task: SettleTask<SignedAuthorization>, refusal: SettleOutcome): Promise<SettleOutcome> {
    const fate = await readForeignFate(task);
    if (!fate) return { kind: 'unknown' };
    return fate.kind === 'settled' ? fate : refusal;
  }

  async function settle(task: SettleTask<SignedAuthorization>): Promise<SettleOutcome> {
    const sent = task.sent.filter(isOurs).map(toEvm);
    if (sent.length === 0 && task.sent.length > 0 && !task.wasRefused) {
      const fate = await readForeignFate(task);
      if (fate?.kind !== 'unused') return fate ?? { kind: 'unknown' };
    }
    const spending: Spending = { held: 0n, lost: [] };
    const outcome = await settleSent({ task, spending }, sent);
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
    return (await untilTold(() => pursue(member, sent), patience)) ?? { kind: 'unknown' };
  }

  return {
    network,
    async start() {
      try {
        await witness.check();
      } catch (error) {
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    offerExtra: async () => ({}),
    queue: () => queue.state(),
    examine: (payment, terms, nowSeconds) => witness.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => witness.readFunds(payment, open),
    verify,
    settle,
    readLateFate: (payment, sent) => readLateFate(witness, payment, sent[0]?.fromBlock ?? 0n),
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
      for (const transaction of transactions
        .filter(isOurs)
        .map(toEvm)
        .toSorted((left, right) => left.nonce - right.nonce)) {
        // Without a node there is no use in the rest; each settlement sends its own again.
        if ((await sender.resend(transaction)) === 'unsure') return;
      }
    },
    watch(paid) {
      // In a block behind the one at which it was signed.
      for (const { key, ...transaction } of paid.filter(isOurs)) {
        watch(toEvm(transaction), transaction.fromBlock, { key });
      }
    },
    // Of a remote facilitator's, or anybody's: not to be sent again by us.
    watchForeign: () => undefined,
    close: () => closing.abort(),
  };
}
