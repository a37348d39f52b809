import type { Hex } from 'viem';
import type { PaymentLogger } from '../../cashierConfig.ts';
import { type ChainCall, isChainTrouble } from '../../chainCall.ts';
import type { PaidOnChain, Recheck } from '../../recheck.ts';
import { quantity } from './nodeAnswers.ts';
import { readReceipt } from './readReceipt.ts';

/** So many blocks on top of a payment, it is looked for again: shallow reorganisations first, deep ones after. */
const depths = [4n, 32n] as const;
/** So many are looked for at once: one after another, a node 50 ms away would be done with ten payments a second. */
const atOnce = 16;

interface Watched extends PaidOnChain {
  /** Index in `depths`. */
  next: 0 | 1;
  /** When it was last to be sent again, it could not be. */
  isTooLate?: boolean;
}

/**
 * A payment is served with its first receipt, a block or two after it was sent. Should the chain drop that block, the
 * payment is sent again while its authorization still holds, so that what was served is paid for after all.
 *
 * One receipt for each payment and depth, one block number a round. Kept in memory; after a restart the ledger tells.
 */
export function createRecheck(config: {
  network: string;
  call: ChainCall;
  everyMs: number;
  logger: PaymentLogger;
  signal: AbortSignal;
}): Recheck {
  const { network, call, everyMs, logger, signal } = config;
  const watched = new Set<Watched>();

  /** Undefined: nothing more to look at. */
  async function look(entry: Watched, head: bigint): Promise<Watched | undefined> {
    const { hash, next } = entry;
    const receipt = await readReceipt(call, hash as Hex);
    if (!receipt) {
      logger.error({ network, hash }, 'The chain has dropped a payment that was served; sending it again');
      const again = await entry.sendAgain();
      // Once: it may have been taken again in this moment. Twice: nothing does it.
      if (again !== undefined || !entry.isTooLate)
        return { ...entry, hash: again ?? hash, block: head, next: 0, isTooLate: again === undefined };
      logger.error(
        { network, hash },
        'A payment that was served cannot come back: its nonce is taken, or its time is over',
      );
      return undefined;
    }
    if (receipt.status !== '0x1') {
      logger.error({ network, hash }, 'A payment that was served came back from a reorganisation unpaid');
      return undefined;
    }
    return next === 0 ? { ...entry, block: BigInt(receipt.blockNumber), next: 1 } : undefined;
  }

  async function lookAgain(entry: Watched, head: bigint): Promise<void> {
    // Last in the next round: should nobody tell of this one, the others have had their look.
    watched.delete(entry);
    watched.add(entry);
    const kept = await look(entry, head);
    watched.delete(entry);
    if (kept) watched.add(kept);
  }

  async function round(): Promise<void> {
    if (watched.size === 0) return;
    try {
      const head = await call('eth_blockNumber', [], quantity);
      const due = [...watched].filter((entry) => {
        entry.block ??= head;
        return head >= entry.block + depths[entry.next];
      });
      for (let index = 0; index < due.length; index += atOnce) {
        // All are waited for: a look that went on into the next round would be made twice.
        const looks = await Promise.allSettled(due.slice(index, index + atOnce).map((entry) => lookAgain(entry, head)));
        const failed = looks.find((outcome) => outcome.status === 'rejected');
        if (failed) throw failed.reason;
      }
    } catch (error) {
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'Served payments cannot be looked for now');
    }
  }

  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    round()
      .catch((err) => logger.error({ network, err }, 'Looking for served payments failed'))
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
