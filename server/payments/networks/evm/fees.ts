import type { Chain } from '../../chainCall.ts';
import { header, quantity } from './nodeAnswers.ts';

export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Of the block that they were read at. */
  height: bigint;
  timestamp: bigint;
}

/** 10 gwei, and 2,000 on Polygon, whose coin is cheap: limits the tip that a node can suggest. */
const dearestTip = (chainId: number): bigint => (chainId === 137 ? 2_000n : 10n) * 10n ** 9n;
export const lowest = (left: bigint, right: bigint): bigint => (left < right ? left : right);
export const highest = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** Twice the base fee covers six full blocks in a row; the tip is what the node suggests. */
export async function readFees(chain: Pick<Chain, 'call' | 'callProven'>, chainId: number): Promise<Fees> {
  const [block, tip] = await Promise.all([
    // Where a search for what is signed now will begin.
    chain.callProven('eth_getBlockByNumber', ['latest', false], header),
    chain.call('eth_maxPriorityFeePerGas', [], quantity),
  ]);
  const maxPriorityFeePerGas = lowest(tip, dearestTip(chainId));
  const maxFeePerGas = 2n * (block.baseFeePerGas ?? 0n) + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas, height: block.number, timestamp: block.timestamp };
}
