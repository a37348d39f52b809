import type { z } from 'zod';
import type { Chain } from '../../chainCall.ts';
import { header, quantity } from './nodeAnswers.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Number of the block from which the base fee was read. */
  height: bigint;
  timestamp: bigint;
}

/** Maximum accepted tip: 10 gwei, and 2,000 gwei on Polygon, whose coin is cheap. */
const tipLimit = (chainId: number): bigint => (chainId === 137 ? 2_000n : 10n) * 10n ** 9n;
export const lowest = (left: bigint, right: bigint): bigint => (left < right ? left : right);
export const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/**
 * Twice the base fee covers its rise over at least five full blocks, which take one second or ten, depending on the chain.
 * If it rises further, the transaction is repriced (`followTransactions.ts`). The tip is the node's suggestion.
 */
export function toFees(chainId: number, block: Omit<z.output<typeof header>, 'timestampMs'>, tip: bigint): Fees {
  const maxPriorityFeePerGas = lowest(tip, tipLimit(chainId));
  const maxFeePerGas = 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas, height: block.number, timestamp: block.timestamp };
}

/**
 * Reads the fees of a new transaction.
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function readFees(chain: Pick<Chain, 'call' | 'callVerified'>, chainId: number): Promise<Fees> {
  const [block, tip] = await Promise.all([
    // Verified: a later search for the transaction starts at this block.
    chain.callVerified('eth_getBlockByNumber', ['latest', false], header),
    chain.call('eth_maxPriorityFeePerGas', [], quantity),
  ]);
  return toFees(chainId, block, tip);
}
