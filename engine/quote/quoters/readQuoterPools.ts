import type { Hex } from 'viem';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { BandReading } from '../../venues/venueTypes.ts';
import {
  isZeroForOne,
  onePercentBelow,
  pairFill,
  type QuoterFill,
  type QuoterPool,
  type Tokens,
  toFill,
  toQuoterRead,
  toStateRead,
} from './quoterPools.ts';
import { firstWord, type ReadResult, readTogether } from './readTogether.ts';

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
