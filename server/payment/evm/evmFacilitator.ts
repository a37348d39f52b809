import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import type { CashierTimings, EvmPaymentNetwork, PaymentLogger } from '../cashierConfig.ts';
import { createChainCall, isChainTrouble } from '../chainCall.ts';
import type { Facilitator, SettleOutcome, SettleTask, VerifyOutcome } from '../facilitator.ts';
import type { JournaledTransaction } from '../ledger/ledgerTypes.ts';
import { domainSeparator, type SignedAuthorization } from './authorization.ts';
import { readAuthorizationFate } from './authorizationFate.ts';
import { checkNetwork } from './checkNetwork.ts';
import { checkSignature } from './checkSignature.ts';
import { findTermsFault } from './findTermsFault.ts';
import type { TransferRefusal } from './revertReason.ts';
import { simulateTransfer, transferData } from './simulateTransfer.ts';
import { createTransactionSender, type EvmTransaction, type Fees } from './transactionSender.ts';
import { watchTransactions } from './watchTransactions.ts';

/** New transactions for one payment after its nonce went to another one; more means somebody else uses the key. */
const sendLimit = 5;
/** After a node failed us while a transaction is out. */
const outagePauseMs = 1_000;

/** The journal of an EVM network holds what our sender wrote. */
const toEvm = (transaction: JournaledTransaction): EvmTransaction => transaction as EvmTransaction;

/**
 * Settles EIP-3009 payments on one EVM network with a key of ours.
 *
 * An authorization's own nonce can move money once, whatever we send and however often; so sending
 * again is always safe for the payer, and the token's word about that nonce decides every doubt.
 */
export function createEvmFacilitator(
  config: EvmPaymentNetwork,
  timings: CashierTimings,
  logger: PaymentLogger,
): Facilitator<SignedAuthorization> {
  const { network, chainId, asset, domain } = config;
  const account = privateKeyToAccount(config.facilitatorKey);
  const call = createChainCall(config.rpcUrls, timings.rpcTimeoutMs);
  const sender = createTransactionSender({ account, chainId, call, logger });
  const separator = domainSeparator({ ...domain, chainId, verifyingContract: asset });
  const closing = new AbortController();
  // Every settlement in flight sleeps on it.
  setMaxListeners(0, closing.signal);
  let checked: Promise<void> | undefined;

  /** Once per process; an outage leaves it to the next payment. */
  function checkOnce(): Promise<void> {
    checked ??= checkNetwork(call, config, separator).catch((error) => {
      checked = undefined;
      throw error;
    });
    return checked;
  }

  /** @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict on the payment. */
  async function simulate(payment: SignedAuthorization): Promise<{ gas: bigint; fees: Fees } | TransferRefusal> {
    const fees = await sender.readFees();
    const simulated = await simulateTransfer({ call, chainId, account: account.address, asset }, payment, fees);
    return 'reason' in simulated ? simulated : { ...simulated, fees };
  }

  function send(
    task: SettleTask<SignedAuthorization>,
    simulated: { gas: bigint; fees: Fees },
  ): Promise<EvmTransaction> {
    return sender.send({ to: asset, data: transferData(task.payment), ...simulated }, task.journal);
  }

  async function verify(payment: SignedAuthorization): Promise<VerifyOutcome> {
    try {
      await checkOnce();
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
      await checkOnce();
      const simulated = await simulate(task.payment);
      if ('reason' in simulated) return { kind: 'refused', ...simulated };
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
    if (seen.kind === 'paid') return { kind: 'settled', transaction: seen.transaction };

    if (seen.kind === 'stuck') {
      const newest = sent.at(-1);
      const dearer = newest && (await sender.reprice(newest, task.journal));
      if (dearer) sent.push(dearer);
      return undefined;
    }
    const at = seen.kind === 'reverted' ? seen.block : 'latest';
    const fate = await readAuthorizationFate(call, asset, payment, sent[0]?.fromBlock ?? 0n, at);
    if (fate.kind === 'paid') return { kind: 'settled', transaction: fate.transaction };
    if (fate.kind === 'spent') {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_nonce_already_used',
        detail: 'This authorization was cancelled, or used for something else. Sign a new one with a fresh nonce.',
      };
    }
    const simulated = await simulate(payment);
    if ('reason' in simulated) {
      // Used since we looked: the next round's logs tell by whom.
      if (simulated.reason === 'invalid_exact_evm_nonce_already_used') return undefined;
      return { kind: 'refused', ...simulated };
    }
    // What an earlier try left reverted is tried once more; what this try sent is not, or a wallet could make us burn gas.
    const sentNow = sent.length > task.sent.length;
    if ((seen.kind === 'reverted' && sentNow) || new Set(sent.map(({ nonce }) => nonce)).size >= sendLimit) {
      return {
        kind: 'refused',
        reason: 'invalid_exact_evm_transaction_failed',
        detail: 'The transfer failed on chain and moved nothing. Send the same payment again, or sign a new one.',
      };
    }
    sent.push(await send(task, simulated));
    return undefined;
  }

  async function settle(task: SettleTask<SignedAuthorization>): Promise<SettleOutcome> {
    const sent = task.sent.map(toEvm);
    if (sent.length === 0) {
      const first = await sendFirst(task);
      if ('kind' in first) return first;
      sent.push(first);
    }
    while (!closing.signal.aborted) {
      try {
        const outcome = await pursue(task, sent);
        if (outcome) return outcome;
      } catch (error) {
        if (closing.signal.aborted) break;
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'A settlement cannot be followed now');
      }
      await sleep(outagePauseMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    return { kind: 'unknown' };
  }

  return {
    network,
    async start() {
      try {
        await checkOnce();
      } catch (error) {
        if (!isChainTrouble(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The payment network could not be checked at start');
      }
    },
    async examine(payment, terms, nowSeconds) {
      const fault = findTermsFault(terms, payment, nowSeconds, timings.expiryMarginSeconds);
      return fault ? { kind: 'invalid', ...fault } : checkSignature(call, separator, payment);
    },
    verify,
    settle,
    async resend(transactions) {
      for (const transaction of transactions.map(toEvm).toSorted((left, right) => left.nonce - right.nonce)) {
        // Without a node there is no use in the rest; each settlement sends its own again.
        if ((await sender.resend(transaction)) === 'unsure') return;
      }
    },
    close: () => closing.abort(),
  };
}
