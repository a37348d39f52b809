import { setMaxListeners } from 'node:events';
import type { Hex } from 'viem';
import type { CashierTimings, EvmPaymentNetwork, PaymentLogger, SharedKeys } from '../cashierConfig.ts';
import { isChainTrouble } from '../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../facilitator.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';
import { readLateFate } from '../readLateFate.ts';
import { untilTold } from '../untilTold.ts';
import type { SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';
import { createEvmWitness, spentOutcome } from './evmWitness.ts';
import { openKeyAccount } from './keyAccount.ts';
import { quantity } from './nodeAnswers.ts';
import { createRecheck } from './recheckPaid.ts';
import type { TransferRefusal } from './revertReason.ts';
import { simulateTransfer, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type Fees } from './transactionSender.ts';
import { watchTransactions } from './watchTransactions.ts';

/** New transactions for one payment after its nonce went to another one; more means somebody else uses the key. */
const sendLimit = 5;
/** What one settlement takes, rounded up. */
const gasOfTransfer = 120_000n;
/** A remote facilitator that settled here before has left no bytes of its own. */
const isOurs = ({ raw }: JournaledTransaction): boolean => raw !== '';
/** The journal of an EVM network holds what our sender wrote. */
const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

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
  sharedKeys?: SharedKeys,
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset } = config;
  const account = openKeyAccount(config.facilitatorKey);
  const witness = createEvmWitness(config, timings);
  const { call, callProven } = witness.chain;
  const sender = createTransactionSender({ account, chainId, chain: witness.chain, logger, sharedKeys });
  const closing = new AbortController();
  // Every settlement in flight sleeps on it.
  setMaxListeners(0, closing.signal);
  const recheck = createRecheck({
    network,
    call,
    everyMs: timings.recheckMs,
    logger,
    signal: closing.signal,
  });
  async function sendAgain(transaction: EvmTransaction): Promise<Hex | undefined> {
    return (await sender.resend(transaction)) === 'tooLate' ? undefined : transaction.hash;
  }
  const watch = (transaction: EvmTransaction, block: bigint): void =>
    recheck.add({ hash: transaction.hash, block, sendAgain: () => sendAgain(transaction) });
  const patience = { signal: closing.signal, logger, network };

  /** @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict on the payment. */
  async function simulate(payment: SignedAuthorization): Promise<{ gas: bigint; fees: Fees } | TransferRefusal> {
    const fees = await sender.readFees();
    // What is said here lets money move, or sends its payer away to sign anew.
    const node = { call: callProven, chainId, account: account.address, asset };
    const simulated = await simulateTransfer(node, payment, fees);
    return 'reason' in simulated ? simulated : { ...simulated, fees };
  }

  function send(
    task: SettleTask<SignedAuthorization>,
    simulated: { gas: bigint; fees: Fees },
  ): Promise<EvmTransaction> {
    return sender.send({ to: asset, data: transferData(task.payment), ...simulated }, task.journal);
  }

  async function verify({ payment }: { payment: SignedAuthorization }): Promise<VerifyOutcome> {
    try {
      await witness.check();
      const simulated = await simulate(payment);
      return 'reason' in simulated ? { kind: 'refused', ...simulated } : { kind: 'valid' };
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be verified');
      return { kind: 'unavailable' };
    }
  }

  async function sendFirst(
    task: SettleTask<SignedAuthorization>,
  ): Promise<EvmTransaction | Extract<SettleOutcome, { kind: 'refused' | 'unavailable' }>> {
    try {
      await witness.check();
      const [simulated, shortage] = await Promise.all([simulate(task.payment), task.checkFunds()]);
      if ('reason' in simulated) return { kind: 'refused', ...simulated };
      if (shortage) return shortage;
      return await send(task, simulated);
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A payment could not be sent');
      return { kind: 'unavailable' };
    }
  }

  /** One round of finding out, with transactions out. Undefined: a new transaction has been sent, look again. */
  async function pursue(
    task: SettleTask<SignedAuthorization>,
    sent: EvmTransaction[],
    spending: { hasFailed: boolean },
  ): Promise<SettleOutcome | undefined> {
    const { payment } = task;
    const seen = await watchTransactions({
      call,
      sender,
      account: account.address,
      payment,
      asset,
      sent,
      timings,
      signal: closing.signal,
    });
    const noncesSpent = () => new Set(sent.map(({ nonce }) => nonce)).size;

    /** A wrong count may have put it behind a gap that nobody fills; else it may have become too cheap. */
    async function replace(stuck: EvmTransaction): Promise<EvmTransaction | undefined> {
      if (!(await sender.isStranded(stuck))) return sender.reprice(stuck, task.journal);
      if (noncesSpent() >= sendLimit) return undefined;
      logger.error({ network, hash: stuck.hash }, 'A nonce before that of a payment is missing; sending it anew');
      const simulated = await simulate(payment);
      return 'reason' in simulated ? undefined : send(task, simulated);
    }

    if (seen.kind === 'paid') {
      const ours = sent.find(({ hash }) => hash === seen.transaction);
      if (ours) watch(ours, BigInt(seen.block));
      return { kind: 'settled', transaction: seen.transaction };
    }

    if (seen.kind === 'stuck') {
      const newest = sent.at(-1);
      const next = newest && (await replace(newest));
      if (next) sent.push(next);
      return undefined;
    }
    if (seen.kind === 'reverted') spending.hasFailed = true;
    const at = seen.kind === 'reverted' ? seen.block : 'latest';
    const fate = await readAuthorizationFate(call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (fate.kind === 'paid') {
      // Somebody was faster: should the chain drop that one, ours pays.
      const ours = sent.at(-1);
      if (ours) recheck.add({ hash: fate.transaction, sendAgain: () => sendAgain(ours) });
      return { kind: 'settled', transaction: fate.transaction };
    }
    if (fate.kind === 'spent') return spentOutcome;
    const simulated = await simulate(payment);
    if ('reason' in simulated) {
      // Used since we looked: the next round's logs tell by whom.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') return undefined;
      return { kind: 'refused', ...simulated };
    }
    // What an earlier try left reverted is tried once more; what this try sent is not, or a wallet could make us burn gas.
    const sentNow = sent.length > task.sent.length;
    if ((seen.kind === 'reverted' && sentNow) || noncesSpent() >= sendLimit) {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_failed',
        detail: 'The transfer failed on chain and moved nothing. Send the same payment again, or sign a new one.',
      };
    }
    sent.push(await send(task, simulated));
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
    if (sent.length === 0) {
      const first = await sendFirst(task);
      if ('kind' in first) return first.kind === 'refused' && task.sent.length > 0 ? heldToChain(task, first) : first;
      sent.push(first);
    }
    const spending = { hasFailed: false };
    const outcome = (await untilTold(() => pursue(task, sent, spending), patience)) ?? { kind: 'unknown' };
    return outcome.kind === 'refused' && spending.hasFailed ? { ...outcome, failedOnChain: true } : outcome;
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
    examine: (payment, terms, nowSeconds) => witness.examine(payment, terms, nowSeconds),
    readFunds: (payment, open) => witness.readFunds(payment, open),
    verify,
    settle,
    readLateFate: (payment, sent) => readLateFate(witness, payment, sent[0]?.fromBlock ?? 0n),
    async readGas() {
      const [balance, { maxFeePerGas }] = await Promise.all([
        call('eth_getBalance', [account.address, 'latest'], quantity),
        sender.readFees(),
      ]);
      return balance / (gasOfTransfer * (maxFeePerGas > 0n ? maxFeePerGas : 1n));
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
      for (const transaction of paid.filter(isOurs).map(toEvm)) watch(transaction, transaction.fromBlock);
    },
    // Of a remote facilitator's, or anybody's: not to be sent again by us.
    watchForeign: () => undefined,
    close: () => closing.abort(),
  };
}
