import { getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import { includedTransaction, listedSignatures } from './nodeAnswers.ts';
import type { SvmTransaction } from './svmTransaction.ts';

const pageSize = 100;
/** Limits the search, because a wallet can create any number of transactions on its account. */
const pageLimit = 20;
/** Slots to search before `since`, because a node that is ahead of this one may have returned it. */
const lagMargin = 64n;

const sameBytes = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((byte, index) => byte === right[index]);

/**
 * Whether an included transaction has this message. Its id is the fee payer's signature, which is unknown before the
 * broadcast if another fee payer signs.
 */
async function hasMessage(call: ChainCall, signature: string, message: ArrayLike<number>): Promise<boolean> {
  const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const included = await call('getTransaction', [signature, options], includedTransaction);
  if (!included) throw new ChainUnreachableError('The node lists a transaction that it does not return yet.');
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(included.transaction[0]));
  return sameBytes(messageBytes, message);
}

/**
 * Searches the transactions of the payer's token account for a payment, newest first, back to the slot `since`. Undefined
 * if none contains it.
 *
 * @param minContextSlot a node that has not reached this slot returns an error, because transactions may be missing there
 * @throws {ChainUnreachableError} also if the account has too many transactions since then
 * @throws {JsonRpcError}
 */
export async function findIncludedTransfer(
  call: ChainCall,
  { transfer, transaction }: SvmTransaction,
  since: bigint,
  minContextSlot: number | undefined,
): Promise<{ signature: string; failed: boolean } | undefined> {
  if (!transfer) return undefined;
  let before: string | undefined;
  for (let pages = 0; pages < pageLimit; pages += 1) {
    const options = { commitment: 'confirmed', limit: pageSize, minContextSlot, before };
    const page = await call('getSignaturesForAddress', [transfer.source, options], listedSignatures);
    for (const { signature, slot, err } of page) {
      if (BigInt(slot) + lagMargin < since) return undefined;
      if (await hasMessage(call, signature, transaction.messageBytes)) return { signature, failed: err !== null };
    }
    before = page.at(-1)?.signature;
    if (page.length < pageSize) return undefined;
  }
  throw new ChainUnreachableError(
    `The payment is not among the latest ${pageSize * pageLimit} transactions of the payer's token account.`,
  );
}
