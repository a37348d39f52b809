import type { Hex } from 'viem';
import type { ChainCall } from '../../chainCall.ts';
import { assertReceiptOf, receipt } from './nodeAnswers.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';

/**
 * The receipt of one transaction; null while the node has none. A node that answers anything else has not answered:
 * taken for a failed transfer, it would have the payer sign a second one.
 * @throws {ChainUnreachableError} when the answer is no receipt of that transaction
 * @throws {NodeRefusalError}
 */
export async function readReceipt(call: ChainCall, hash: Hex): Promise<TransactionReceipt | null> {
  const answer = await call('eth_getTransactionReceipt', [hash], receipt);
  if (answer !== null) assertReceiptOf(answer, hash);
  return answer;
}
