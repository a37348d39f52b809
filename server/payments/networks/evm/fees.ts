import type { Chain } from '../../chainCall.ts';
import { header, quantity } from './nodeAnswers.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Number of the block at which the fees were read. */
  height: bigint;
  timestamp: bigint;
}

/** Limits the tip that a node can suggest: 10 gwei, and 2,000 on Polygon, whose coin is cheap. */
const tipLimit = (chainId: number): bigint => (chainId === 137 ? 2_000n : 10n) * 10n ** 9n;
export const lowest = (left: bigint, right: bigint): bigint => (left < right ? left : right);
export const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** Twice the base fee covers six full blocks in a row; the tip is the node's suggestion. */
export async function readFees(chain: Pick<Chain, 'call' | 'callVerified'>, chainId: number): Promise<Fees> {
  const [block, tip] = await Promise.all([
    // A search for a transaction that is signed now starts at this block.
    chain.callVerified('eth_getBlockByNumber', ['latest', false], header),
    chain.call('eth_maxPriorityFeePerGas', [], quantity),
  ]);
  const maxPriorityFeePerGas = lowest(tip, tipLimit(chainId));
  const maxFeePerGas = 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas, height: block.number, timestamp: block.timestamp };
}
