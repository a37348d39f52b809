import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { BandReading } from '../../venues/venueTypes.ts';
import { firstWord, type ReadResult, readTogether } from './readTogether.ts';

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

/** A pool's fills at the multiples of the size, and its price; undefined if not read. */
export interface PoolFills {
  pool: QuoterPool;
  fills: QuoterFill[];
  band: BandReading | undefined;
}

/** The size, twice the size for the worst case, and larger sizes for the depth. */
export const multiples = [1n, 2n, 4n, 8n] as const;
/** More than the input of any price fall of 1 %; the price limit ends the swap. QuoterV2 accepts sizes below 2^255. */
const boundless = 2n ** 127n;

/**
 * Reads states and fills of the pools in one request. A second one reads the amounts within 1 % of the price of the
 * concentrated pools.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readQuoterPools(
  node: Node,
  pools: readonly QuoterPool[],
  query: { quoter: LowerAddress; tokens: Tokens; amountIn: bigint; arbSys: boolean; block: Hex },
): Promise<PoolFills[]> {
  const { quoter, tokens, amountIn } = query;
  const zeroForOne = isZeroForOne(tokens);
  const concentrated = pools.filter(({ candidatePool }) => candidatePool.family === 'uniswap-v3');
  const sizes = multiples.map((multiple) => multiple * amountIn);
  // All pools at the size itself first: if the gas runs out, only the depth is affected.
  const quotes = sizes.flatMap((amount) =>
    concentrated.map(({ candidatePool }) => toQuoterRead(quoter, tokens, candidatePool.fee, amount)),
  );
  const results = await readTogether(node, [...pools.map(toStateRead), ...quotes], query);
  const priceOf = (pool: QuoterPool) => firstWord(results[pools.indexOf(pool)]) ?? 0n;
  const limits = concentrated.map((pool) => onePercentBelow(priceOf(pool), zeroForOne));
  const bandReads = concentrated.map(({ candidatePool }, at) =>
    toQuoterRead(quoter, tokens, candidatePool.fee, boundless, limits[at]),
  );
  const bands = bandReads.length > 0 ? await readTogether(node, bandReads, query) : [];

  return pools.map((pool, at): PoolFills => {
    const position = concentrated.indexOf(pool);
    if (position < 0) return pairFills(pool, results[at], sizes, zeroForOne);
    const fills = sizes.map((_, step) =>
      toFill(results[pools.length + step * concentrated.length + position], zeroForOne),
    );
    const bandOut = bandOf(bands[position]);
    const band = bandOut === undefined ? undefined : { price: priceOf(pool), reserveOut: 0n, bandOut };
    return { pool, fills, band };
  });
}

function pairFills(
  pool: QuoterPool,
  state: ReadResult | undefined,
  sizes: readonly bigint[],
  zeroForOne: boolean,
): PoolFills {
  const [reserve0, reserve1] = typeof state === 'object' ? state.words : [];
  if (reserve0 === undefined || reserve1 === undefined) return { pool, fills: [], band: undefined };
  const reserves = zeroForOne ? { in: reserve0, out: reserve1 } : { in: reserve1, out: reserve0 };
  const fills = sizes.map((amount) => pairFill(amount, reserves, pool.candidatePool.fee));
  return { pool, fills, band: { price: reserves.in, reserveOut: reserves.out, bandOut: 0n } };
}

/** Output within the band; 0 if the quoter reverts, because the pool has no liquidity there. */
function bandOf(result: ReadResult | undefined): bigint | undefined {
  return result === 'reverted' ? 0n : firstWord(result);
}
