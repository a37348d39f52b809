import type { Hex } from 'viem';
import type { Chain } from '../../chainCall.ts';
import type { EvmTransaction } from './evmTransaction.ts';
import { assertReceiptOf, quantity, receipt as receiptShape } from './nodeAnswers.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';

/** Finds the receipt of the included transaction among several with the same nonce. */
export interface ReceiptFinder {
  /** @throws {ChainUnreachableError} @throws {JsonRpcError} */
  find(sent: readonly EvmTransaction[]): Promise<TransactionReceipt | undefined>;
  /**
   * While the reply to the broadcast is pending, reads the receipts once; if there is none, waits for the reply.
   *
   * @param reply reply to the newest transaction's broadcast; undefined if it has arrived
   */
  findEarly(sent: readonly EvmTransaction[], reply: Promise<void> | undefined): Promise<TransactionReceipt | undefined>;
  /** Stores a receipt that a node returned with a broadcast, for the first poll of that transaction. */
  note(hash: Hex, included: { receipt: unknown; head: unknown }): void;
  /** Returns and deletes a stored receipt. */
  takeNoted(sent: readonly EvmTransaction[]): TransactionReceipt | undefined;
}

export function createReceiptFinder({
  chain,
  acceptsPreconfirmed,
}: {
  chain: Pick<Chain, 'callAllVerified'>;
  /** A receipt counts before its block is in the node's `latest`. */
  acceptsPreconfirmed: boolean;
}): ReceiptFinder {
  const noted = new Map<Hex, TransactionReceipt>();
  /** Transactions whose receipt was read while the reply to their broadcast is pending. */
  const received = new Set<Hex>();

  /**
   * Without `acceptsPreconfirmed`, a receipt counts only once its block is `latest` or older: a preconfirmation may
   * vanish.
   */
  async function find(sent: readonly EvmTransaction[]): Promise<TransactionReceipt | undefined> {
    const [head, ...receipts] = await chain.callAllVerified(
      ['eth_blockNumber', [], quantity] as const,
      ...sent.map(({ hash }) => ['eth_getTransactionReceipt', [hash], receiptShape] as const),
    );
    for (const [index, receipt] of receipts.entries()) {
      if (receipt) assertReceiptOf(receipt, sent[index]?.hash as Hex);
    }
    return (
      receipts.find((receipt) => receipt && (acceptsPreconfirmed || BigInt(receipt.blockNumber) <= head)) ?? undefined
    );
  }

  return {
    find,
    async findEarly(sent, reply) {
      const { hash } = sent.at(-1) as EvmTransaction;
      const early = reply && (await find(sent));
      if (early) {
        // The reply contains the same receipt: skip it, because validating the logs of a full group takes milliseconds.
        received.add(hash);
        void reply.finally(() => received.delete(hash)).catch(() => undefined);
      } else await reply;
      return early;
    },
    note(hash, { receipt, head }) {
      if (received.has(hash)) return;
      const read = receiptShape.safeParse(receipt);
      const latest = quantity.safeParse(head);
      // Ignores an invalid reply: `find` reads the receipt again, from another node if needed.
      if (!read.success || !read.data || !latest.success) return;
      if (read.data.transactionHash.toLowerCase() !== hash.toLowerCase()) return;
      if (acceptsPreconfirmed || BigInt(read.data.blockNumber) <= latest.data) noted.set(hash, read.data);
    },
    takeNoted(sent) {
      for (const { hash } of sent) {
        const receipt = noted.get(hash);
        noted.delete(hash);
        if (receipt) return receipt;
      }
      return undefined;
    },
  };
}
