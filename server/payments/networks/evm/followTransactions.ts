import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { type Chain, isChainError, toQuantity } from '../../chainCall.ts';
import { LedgerOrderError } from '../../ledger/ledgerOrderError.ts';
import type { PaymentLogger, PaymentTimings } from '../../paymentConfig.ts';
import type { BlockInterval } from './blockInterval.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { createReceiptFinder, type ReceiptFinder } from './findReceipts.ts';
import { count, quantity } from './nodeAnswers.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';
import type { TransactionSender } from './transactionSender.ts';

/** How a transaction ended, for all payments in it. */
type TransactionEnd =
  | { kind: 'mined'; receipt: TransactionReceipt }
  /** Another transaction of the account took its nonce: these bytes can no longer be included. */
  | { kind: 'replaced' }
  /** A lower nonce is in no journal, so no block can include it: the payments need a new transaction. */
  | { kind: 'stranded' };

/** One payment in a transaction. */
export interface Follower {
  key: string;
  /** Maximum cost of this payment's gas in wei; undefined while prices cannot be read. */
  affordableWei(): Promise<bigint | undefined>;
}

/** First pause between polls, doubled up to the configured one: fast chains include early, slow ones are polled rarely. */
const firstPollMs = 10;
/** A transaction that is pending this long is polled once a block, at least every second. */
const slowPollAfterMs = 5_000;
const slowestPollMs = 1_000;
/** A fast chain does not include a transaction for this many blocks only if its fee is too low or a nonce is missing. */
const patientBlocks = 8;
/** Interval between broadcasts of the same bytes, in case a node never received them. */
const resendMs = 1_000;
/** After this time an earlier transaction may be missing, which another replica has journaled but not broadcast. */
const gapAfterMs = 2_000;
/**
 * Consecutive reads that must return the nonce as used, without a receipt, before the transaction counts as replaced. One
 * URL may have several nodes, and the one that returns receipts may be behind.
 */
const readsUntilReplaced = 3;

/** A nonce that is polled, its transactions, and the payments in them. */
interface Followed {
  sent: EvmTransaction[];
  followers: Set<Follower>;
  end: Promise<TransactionEnd>;
}

export interface TransactionFollower {
  /**
   * Resolves when a transaction of the newest nonce in `sent` has ended; polls through outages. Payments in one
   * transaction share the requests. A transaction with a raised fee is appended to `sent`.
   *
   * @throws {DOMException} AbortError when the service stops
   */
  follow(sent: EvmTransaction[], follower: Follower): Promise<TransactionEnd>;
  /** Stores a receipt that a node returned with a broadcast, for the first poll of that transaction. */
  note: ReceiptFinder['note'];
  /** Starts to poll a transaction that was just sent, before its payments call `follow`. */
  ended(transaction: EvmTransaction): Promise<TransactionEnd>;
}

interface FollowerConfig {
  network: string;
  chain: Pick<Chain, 'call' | 'callAllVerified'>;
  interval: BlockInterval;
  sender: TransactionSender;
  account: Address;
  /** A receipt counts before its block is in the node's `latest`. */
  acceptsPreconfirmed: boolean;
  timings: PaymentTimings;
  logger: PaymentLogger;
  signal: AbortSignal;
}

/**
 * Whether a block contains a transaction with this nonce. The block is read first and named, so that the status of the
 * payments is then read at a block that contains it too.
 */
async function isNonceUsed(
  { chain, account }: Pick<FollowerConfig, 'chain' | 'account'>,
  { nonce }: EvmTransaction,
): Promise<boolean> {
  const [head] = await chain.callAllVerified(['eth_blockNumber', [], quantity]);
  return (await chain.call('eth_getTransactionCount', [account, toQuantity(head)], count)) > nonce;
}

/** Polls until a transaction has ended; undefined if it pends for eight blocks and five seconds, or for `bumpAfterMs`. */
async function watch(
  config: FollowerConfig,
  receipts: ReceiptFinder,
  { sent }: Followed,
): Promise<TransactionEnd | undefined> {
  const { sender, timings, signal } = config;
  const toMined = (receipt: TransactionReceipt): TransactionEnd => {
    sender.noteIncluded(sent.at(-1) as EvmTransaction);
    return { kind: 'mined', receipt };
  };
  let readsUsed = 0;
  let sinceResend = 0;
  let pause = firstPollMs;
  const { hash } = sent.at(-1) as EvmTransaction;
  const early = await receipts.findEarly(sent, sender.pendingReply(hash));
  if (early) return toMined(early);
  for (let waited = 0; waited < timings.bumpAfterMs; waited += pause) {
    const receipt = receipts.takeNoted(sent) ?? (await receipts.find(sent));
    if (receipt) return toMined(receipt);
    const newest = sent.at(-1) as EvmTransaction;
    if (sinceResend >= resendMs) {
      sinceResend = 0;
      readsUsed = (await isNonceUsed(config, newest)) ? readsUsed + 1 : 0;
      if (readsUsed >= readsUntilReplaced) return { kind: 'replaced' };
      if (readsUsed === 0) {
        await sender.resend(newest);
        if (waited >= gapAfterMs) await sender.fillGap(newest);
      }
    }
    const blockMs = waited < slowPollAfterMs ? undefined : await config.interval.readMs();
    if (blockMs !== undefined && waited >= patientBlocks * blockMs) return undefined;
    pause = Math.min(pause * 2, Math.max(timings.receiptPollMs, Math.min(slowestPollMs, blockMs ?? 0)));
    await sleep(pause, undefined, { signal });
    sinceResend += pause;
  }
  return undefined;
}

/** Handles a transaction that is pending too long: fills a nonce gap before it, or raises its fee. */
async function rescue(
  { network, sender, logger }: Pick<FollowerConfig, 'network' | 'sender' | 'logger'>,
  { sent, followers }: Followed,
): Promise<TransactionEnd | undefined> {
  const newest = sent.at(-1) as EvmTransaction;
  if ((await sender.fillGap(newest)).isStranded) return { kind: 'stranded' };
  const members = [...followers];
  if (members.length === 0) return undefined;
  const affordable = await Promise.all(members.map((member) => member.affordableWei()));
  if (affordable.includes(undefined)) return undefined;
  const maxWei = affordable.reduce<bigint>((sum, wei) => sum + (wei ?? 0n), 0n);
  const keys = members.map(({ key }) => key);
  try {
    const raised = await sender.reprice(newest, keys, maxWei);
    if (raised) sent.push(raised);
  } catch (error) {
    // Another replica took over one of its payments, and polls the same transaction.
    if (!(error instanceof LedgerOrderError)) throw error;
    logger.warn(
      { network, hash: newest.hash },
      'The fee of a transaction cannot be raised: another replica owns one of its payments',
    );
  }
  return undefined;
}

/** Polls receipts, once for all payments of a transaction, and raises the fee of a transaction that is pending too long. */
export function createTransactionFollower(config: FollowerConfig): TransactionFollower {
  const { network, logger, signal } = config;
  const receipts = createReceiptFinder(config);
  const followed = new Map<number, Followed>();

  async function run(entry: Followed): Promise<TransactionEnd> {
    for (;;) {
      signal.throwIfAborted();
      try {
        const end = (await watch(config, receipts, entry)) ?? (await rescue(config, entry));
        if (end) return end;
      } catch (error) {
        if (!isChainError(error)) throw error;
        logger.warn({ network, cause: error.message }, 'The status of a settlement cannot be read; polling continues');
        await sleep(1_000, undefined, { signal });
      }
    }
  }

  function begin(sent: readonly EvmTransaction[]): Followed {
    const newest = sent.at(-1);
    if (!newest) throw new Error('There is no transaction to follow.');
    const known = followed.get(newest.nonce);
    if (known?.sent.some(({ hash }) => hash === newest.hash)) return known;
    const own = sent.filter(({ nonce }) => nonce === newest.nonce);
    const begun: Followed = { sent: own, followers: new Set(), end: Promise.resolve({ kind: 'stranded' }) };
    // Polling starts in a later turn of the event loop, when all payments of the transaction have called `follow`.
    begun.end = new Promise<void>(setImmediate).then(() => run(begun));
    followed.set(newest.nonce, begun);
    begun.end
      .catch(() => undefined)
      .finally(() => {
        if (followed.get(newest.nonce) === begun) followed.delete(newest.nonce);
      });
    return begun;
  }

  return {
    note: receipts.note,
    ended: (transaction) => begin([transaction]).end,
    async follow(sent, follower) {
      const entry = begin(sent);
      entry.followers.add(follower);
      const end = await entry.end;
      for (const transaction of entry.sent) {
        if (!sent.some(({ hash }) => hash === transaction.hash)) sent.push(transaction);
      }
      return end;
    },
  };
}
