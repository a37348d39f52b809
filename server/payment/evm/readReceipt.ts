import { type Hex, isAddress } from 'viem';
import { type ChainCall, ChainUnreachableError } from '../chainCall.ts';
import type { TransactionReceipt } from './paidInReceipt.ts';

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value);

/**
 * The receipt of one transaction; null while the node has none. A node that answers anything else has not answered:
 * taken for a failed transfer, it would have the payer sign a second one.
 * @throws {ChainUnreachableError} when the answer is no receipt of that transaction
 * @throws {NodeRefusalError}
 */
export async function readReceipt(call: ChainCall, hash: Hex): Promise<TransactionReceipt | null> {
  const answer = await call<unknown>('eth_getTransactionReceipt', [hash]);
  if (answer === null) return null;
  if (!isReceipt(answer) || answer.transactionHash.toLowerCase() !== hash.toLowerCase()) {
    throw new ChainUnreachableError('The node answered something else than the receipt that was asked for.');
  }
  return answer;
}

function isReceipt(answer: unknown): answer is TransactionReceipt {
  if (typeof answer !== 'object' || answer === null) return false;
  const { status, transactionHash, blockNumber, logs } = answer as Record<string, unknown>;
  const named = isHex(transactionHash) && isHex(blockNumber);
  return named && (status === '0x0' || status === '0x1') && Array.isArray(logs) && logs.every(isLog);
}

function isLog(log: unknown): boolean {
  if (typeof log !== 'object' || log === null) return false;
  const { address, topics, data, logIndex } = log as Record<string, unknown>;
  return (
    typeof address === 'string' &&
    isAddress(address, { strict: false }) &&
    (data === '0x' || isHex(data)) &&
    isHex(logIndex) &&
    Array.isArray(topics) &&
    topics.every(isHex)
  );
}
