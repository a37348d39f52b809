import type { Hex } from 'viem';
import type { ChainCall } from '../../chainCall.ts';
import { assertReceiptOf, receipt } from './nodeAnswers.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';

/**
 * The receipt of one transaction; null while the node has none. Any other result is rejected: if it counted as a failed
 * transfer, the payer would sign a second payment.
 * @throws {ChainUnreachableError} the result is not a receipt of that transaction
 * @throws {JsonRpcError}
 */
export async function readReceipt(call: ChainCall, hash: Hex): Promise<TransactionReceipt | null> {
  const result = await call('eth_getTransactionReceipt', [hash], receipt);
  if (result !== null) assertReceiptOf(result, hash);
  return result;
}
