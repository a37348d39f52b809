import { type Address, encodeFunctionData, parseAbi } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolStatus } from '../../venues/poolStatus.ts';
import type { ReadResult } from './readTogether.ts';

const abi = parseAbi([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160)',
  'struct Query { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 limit; }',
  'function quoteExactInputSingle(Query) returns (uint256, uint160, uint32, uint256)',
]);

/** Ends of the price range of Uniswap v3 (TickMath), where a swap stops that the pool cannot fill. */
const lowestPrice = 4295128739n + 1n;
const highestPrice = 1461446703485210103287273052203988822378723970342n - 1n;

/** tokenIn and tokenOut. */
export type Tokens = readonly [LowerAddress, LowerAddress];

/** A candidate pool that the factory returned. */
export interface QuoterPool {
  candidatePool: CandidatePool;
  pool: LowerAddress;
}

/** Output of a pool for a size. */
export interface QuoterFill {
  status: PoolStatus;
  received: bigint;
}

export const isZeroForOne = ([tokenIn, tokenOut]: Tokens) => BigInt(tokenIn) < BigInt(tokenOut);

export function toLookUp({ family, factory, fee }: CandidatePool, [a, b]: Tokens): ContractRead {
  const data =
    family === 'uniswap-v2'
      ? encodeFunctionData({ abi, functionName: 'getPair', args: [a, b] })
      : encodeFunctionData({ abi, functionName: 'getPool', args: [a, b, fee] });
  return { to: factory, data };
}

export function toStateRead({ candidatePool, pool }: QuoterPool): ContractRead {
  const functionName = candidatePool.family === 'uniswap-v2' ? 'getReserves' : 'slot0';
  return { to: pool, data: encodeFunctionData({ abi, functionName }) };
}

/** @param limit sqrtPriceX96 to stop at; 0 = the end of the range */
export function toQuoterRead(
  quoter: Address,
  [tokenIn, tokenOut]: Tokens,
  fee: number,
  amountIn: bigint,
  limit: bigint | undefined = 0n,
): ContractRead {
  const query = { tokenIn, tokenOut, amountIn, fee, limit };
  return { to: quoter, data: encodeFunctionData({ abi, functionName: 'quoteExactInputSingle', args: [query] }) };
}

/** QuoterV2 does not revert when a pool takes only a part; the price is then at the end of the range. */
export function toFill(result: ReadResult | undefined, zeroForOne: boolean): QuoterFill {
  if (result === 'reverted') return { status: 'rejected', received: 0n };
  const [received, priceAfter] = typeof result === 'object' ? result.words : [];
  if (received === undefined || priceAfter === undefined) return { status: 'unread', received: 0n };
  if (priceAfter === (zeroForOne ? lowestPrice : highestPrice)) return { status: 'partial', received: 0n };
  return { status: received > 0n ? 'filled' : 'rejected', received };
}

/** x·y=k with the deployment row's fee, rounded like the pair's own check. */
export function pairFill(amountIn: bigint, reserves: { in: bigint; out: bigint }, feePips: number): QuoterFill {
  if (reserves.in === 0n || reserves.out === 0n) return { status: 'empty', received: 0n };
  const afterFee = amountIn * BigInt(1_000_000 - feePips);
  const received = (afterFee * reserves.out) / (reserves.in * 1_000_000n + afterFee);
  return { status: received > 0n ? 'filled' : 'rejected', received };
}

/** The price after a fall of 1 %, as sqrtPriceX96; 994987 / 1000000 is √0.99 rounded down. */
export function onePercentBelow(price: bigint, zeroForOne: boolean): bigint {
  return zeroForOne ? (price * 994_987n) / 1_000_000n : (price * 1_000_000n) / 994_987n;
}
