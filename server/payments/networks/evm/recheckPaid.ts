import type { Hex } from 'viem';
import type { z } from 'zod';
import { type ChainCall, isChainError } from '../../chainCall.ts';
import type { PaymentLedger } from '../../ledger/ledgerTypes.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { OnPaymentEvent } from '../../paymentEvents.ts';
import type { PaidOnChain, Recheck } from '../../recheck.ts';
import { header } from './nodeAnswers.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';
import { readReceipt } from './readReceipt.ts';

/**
 * Seconds after a payment's inclusion at which it is rechecked: for shallow and for deep reorganisations. By the chain's time:
 * if the chain or a node has stopped, the recheck waits.
 */
const ages = [8n, 64n] as const;
/** Concurrent rechecks. Sequential ones would be limited to ten a second by a node with a latency of 50 ms. */
const atOnce = 16;

interface RecheckConfig {
  network: string;
  call: ChainCall;
  everyMs: number;
  logger: PaymentLogger;
  signal: AbortSignal;
  /** Called when a served payment is no longer on chain and cannot be sent again. */
  onLost?(key: string): void;
}

interface Watched extends PaidOnChain {
  /** Index in `ages`. */
  next: 0 | 1;
  /** Timestamp of the first head that was read after the inclusion; undefined before. */
  since?: bigint;
  /** The last broadcast failed: the payment could no longer be sent. */
  isTooLate?: boolean;
}

type Head = Pick<z.output<typeof header>, 'number' | 'timestamp'>;

/** Requests that all payments of one transaction share in a round. */
interface Shared {
  readReceipt(hash: string): Promise<TransactionReceipt | null>;
  sendAgain(entry: Watched): Promise<boolean>;
}

function shareByHash(call: ChainCall): Shared {
  const receipts = new Map<string, Promise<TransactionReceipt | null>>();
  const sent = new Map<string, Promise<boolean>>();
  const once = <T>(cache: Map<string, Promise<T>>, id: string, work: () => Promise<T>): Promise<T> => {
    const known = cache.get(id) ?? work();
    cache.set(id, known);
    return known;
  };
  return {
    readReceipt: (hash) => once(receipts, hash, () => readReceipt(call, hash as Hex)),
    sendAgain: ({ again }) => once(sent, again.id, () => again.send()),
  };
}

/** Creates a function that reports a lost payment as an event and records it in the ledger. */
export const recordLoss =
  (
    network: string,
    dependencies: { ledger: Pick<PaymentLedger, 'lost'>; onEvent: OnPaymentEvent; logger: PaymentLogger },
  ) =>
  (key: string): void => {
    dependencies.onEvent({ kind: 'payment lost', network });
    dependencies.ledger
      .lost(key)
      .catch((err) => dependencies.logger.error({ payment: key, err }, 'A loss could not be recorded'));
  };

/** The entry for the next recheck; undefined if no further one is needed. */
async function recheck(
  { network, logger, onLost }: RecheckConfig,
  entry: Watched,
  head: Head,
  shared: Shared,
): Promise<Watched | undefined> {
  const { hash, next, key } = entry;
  const again = { block: head.number, since: head.timestamp, next: 0 } as const;
  const receipt = await shared.readReceipt(hash);
  if (receipt && (entry.isPaidIn?.(receipt) ?? receipt.status === '0x1')) {
    if (next === 1) return undefined;
    const block = BigInt(receipt.blockNumber);
    // Another block includes it than before: its time counts from now.
    return { ...entry, block, ...(entry.block !== block && { since: head.timestamp }), next: 1 };
  }
  logger.error({ network, hash }, 'The chain has dropped a payment that was served');
  // A replacement with a higher fee, or a third party's transaction, may have paid instead.
  const status = await entry.readStatus();
  if (status.kind === 'settled') return { ...entry, ...again, hash: status.transaction, isTooLate: false };
  const isTooLate = status.kind === 'expired' || !(await shared.sendAgain(entry));
  // Retry once: the transaction may just have been re-included.
  if (!isTooLate || !entry.isTooLate) return { ...entry, ...again, isTooLate };
  logger.error({ network, hash }, 'A payment that was served is lost: its nonce is taken, or it has expired');
  onLost?.(key);
  return undefined;
}

/**
 * Rechecks served payments. A payment is served with its first receipt; if the chain drops that block, the payment is
 * broadcast again while its authorization is valid.
 *
 * Reads one receipt for each transaction and age, and one header a round. The entries are in memory; `watchPaid`
 * restores them at start.
 */
export function createRecheck(config: RecheckConfig): Recheck {
  const { network, call, everyMs, logger, signal } = config;
  const watched = new Set<Watched>();

  async function recheckEntry(entry: Watched, head: Head, shared: Shared): Promise<void> {
    // Moves to the end, so that an entry whose node fails does not delay the others in the next round.
    watched.delete(entry);
    watched.add(entry);
    const kept = await recheck(config, entry, head, shared);
    watched.delete(entry);
    if (kept) watched.add(kept);
  }

  async function round(): Promise<void> {
    if (watched.size === 0) return;
    try {
      const head = await call('eth_getBlockByNumber', ['latest', false], header);
      const due = [...watched].filter((entry) => {
        entry.block ??= head.number;
        entry.since ??= head.timestamp;
        // A node that is behind the payment's block has no receipt.
        return head.number > entry.block && head.timestamp >= entry.since + ages[entry.next];
      });
      const shared = shareByHash(call);
      for (let index = 0; index < due.length; index += atOnce) {
        // Waits for all, because a recheck that is still running in the next round would run twice.
        const rechecks = await Promise.allSettled(
          due.slice(index, index + atOnce).map((entry) => recheckEntry(entry, head, shared)),
        );
        const failed = rechecks.find((outcome) => outcome.status === 'rejected');
        if (failed) throw failed.reason;
      }
    } catch (error) {
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'Served payments cannot be rechecked; retrying in the next round');
    }
  }

  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    round()
      .catch((err) => logger.error({ network, err }, 'The recheck of served payments failed'))
      .finally(() => {
        running = false;
      });
  }, everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });

  return {
    add(paid) {
      watched.add({ ...paid, next: 0 });
    },
  };
}
