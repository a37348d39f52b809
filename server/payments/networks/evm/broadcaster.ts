import type { Hex } from 'viem';
import { type Chain, ChainUnreachableError, JsonRpcError, type RawSent } from '../../chainCall.ts';
import type { PaymentLogger } from '../../paymentConfig.ts';
import type { EvmTransaction } from './evmTransaction.ts';

/** Result of a broadcast. `unknown`: no reply; `tooLate`: the nonce is used. */
export type Broadcast = 'sent' | 'unknown' | 'rejected' | 'tooLate';

/** Messages of geth, reth, erigon, nitro and anvil for a transaction that the node already has. */
const alreadyKnown = /already known|already imported|known transaction|already exists/i;

/** Messages for a nonce that another transaction has used: our count is behind the chain's. */
const nonceTooLow = /nonce too low|nonce is too low|old nonce|invalid nonce/i;

export interface BroadcasterConfig {
  chainId: number;
  chain: Pick<Chain, 'sendRaw'>;
  logger: PaymentLogger;
  /** Called with the receipt and the head, if the node returned them with the broadcast. */
  onIncluded?(hash: Hex, included: NonNullable<RawSent['included']>): void;
}

/** Broadcasts signed transactions, and keeps the pending replies. */
export function createBroadcaster({ chainId, chain: { sendRaw }, logger, onIncluded }: BroadcasterConfig) {
  const pending = new Map<Hex, Promise<void>>();

  /** Never throws for a node's error; `unknown` means no reply. */
  async function broadcast({ hash, raw }: EvmTransaction, awaitReceipt: boolean): Promise<Broadcast> {
    try {
      const { outcome, included } = await sendRaw(raw, awaitReceipt);
      if (included) onIncluded?.(hash, included);
      return outcome;
    } catch (error) {
      if (error instanceof ChainUnreachableError) {
        logger.warn({ chainId, hash }, 'No reply to a broadcast; its receipt will show the outcome');
        return 'unknown';
      }
      if (!(error instanceof JsonRpcError)) throw error;
      if (alreadyKnown.test(error.answer)) return 'sent';
      logger.warn(
        { chainId, hash, code: error.code, answer: error.answer.slice(0, 120) },
        'A node rejected a broadcast',
      );
      return nonceTooLow.test(error.answer) ? 'tooLate' : 'rejected';
    }
  }

  return {
    broadcast,
    /**
     * Broadcasts, and awaits the receipt where the node supports that.
     * @param onUnused called when the node did not accept the transaction
     */
    begin(transaction: EvmTransaction, onUnused: () => void): Promise<void> {
      const { hash } = transaction;
      const ended = broadcast(transaction, true)
        .then((outcome) => {
          if (outcome === 'tooLate' || outcome === 'rejected') onUnused();
        })
        .finally(() => pending.delete(hash));
      pending.set(hash, ended);
      return ended;
    },
    /** Resolves when the reply to a broadcast arrives; undefined if it has arrived. */
    pendingReply: (hash: Hex): Promise<void> | undefined => pending.get(hash),
  };
}
