import { getBase64Encoder, getTransactionDecoder } from '@solana/kit';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import { includedTransaction, listedSignatures } from './nodeAnswers.ts';
import type { SvmTransaction } from './svmTransaction.ts';

const pageSize = 100;
/** Limits the search, because a wallet can create any number of transactions on its account. */
const pageLimit = 20;
/** The first slot may be too high: a node ahead of this one reported it. */
const lagMargin = 64n;

const sameBytes = (left: ArrayLike<number>, right: ArrayLike<number>): boolean =>
  left.length === right.length && Array.from(left).every((byte, index) => byte === right[index]);

/** Whether a landed transaction hasMessage this very message: its first signature is another fee payer's secret until then. */
async function hasMessage(call: ChainCall, signature: string, message: ArrayLike<number>): Promise<boolean> {
  const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const landed = await call('getTransaction', [signature, options], includedTransaction);
  if (!landed) throw new ChainUnreachableError('A listed transaction is not to be had yet.');
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(landed.transaction[0]));
  return sameBytes(messageBytes, message);
}

/**
 * Looks for a payment among what the payer's token account took part in, newest first, back to the slot `since`.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function findIncludedTransfer(
  call: ChainCall,
  { transfer, transaction }: SvmTransaction,
  since: bigint,
): Promise<{ signature: string; failed: boolean } | undefined> {
  if (!transfer) return undefined;
  let before: string | undefined;
  for (let pages = 0; pages < pageLimit; pages += 1) {
    const options = { commitment: 'confirmed', limit: pageSize, ...(before && { before }) };
    const page = await call('getSignaturesForAddress', [transfer.source, options], listedSignatures);
    for (const { signature, slot, err } of page) {
      if (BigInt(slot) + lagMargin < since) return undefined;
      if (await hasMessage(call, signature, transaction.messageBytes)) return { signature, failed: err !== null };
    }
    before = page.at(-1)?.signature;
    if (page.length < pageSize) return undefined;
  }
  throw new ChainUnreachableError('The payer takes part in too much to find the payment in it.');
}
