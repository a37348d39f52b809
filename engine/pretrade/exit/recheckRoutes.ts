import type { LowerAddress } from '../../lowerAddress.ts';
import type { LensReading, MeasuredRoute, PoolReading } from '../../quote/lensReading.ts';
import { currencyOf } from '../../quote/spot.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { isConcentrated, isSingleton, noHooks } from '../../venues/kinds.ts';
import type { PoolStatus } from '../../venues/poolStatus.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { ExitReading, LoggedPool } from './exitTypes.ts';

/** A pool of the quote's routes, and the amount of `tokenIn` that is sold to it alone. Base units. */
interface RoutePool {
  pool: LoggedPool;
  tokenIn: LowerAddress;
  amount: bigint;
}

/** The part of a recheck that measures the quote's routes. */
export interface RouteQuery {
  pools: readonly RoutePool[];
  /** Routes through one or two pools, by their indices in the list of pools. */
  routes: readonly (readonly number[])[];
  /** Amounts to sell, each along the first `routes` routes. Base units. */
  sizes: readonly { amount: bigint; routes: number }[];
}

/** The lens's results, in the order of the query. */
export interface RouteAnswer {
  pools: readonly (Pick<
    PoolReading,
    'used' | 'nominal' | 'received' | 'arrived' | 'price' | 'reserveOut' | 'bandIn' | 'bandOut'
  > & { status: PoolStatus; bandStatus: PoolStatus })[];
  sales: readonly { status: PoolStatus; received: bigint; gas: number }[];
}

/** Maximum number of route pools that one call of the recheck lens measures. */
const maxPools = 8;
/** Routes that are sold again: the best one, and those that confirm or replace it. */
const maxRoutes = 3;
/** Routes whose depth is measured again. */
const maxDeepRoutes = 2;
/** Sizes to sell, in sixteenths of the last depth. If even the smallest falls short, the market is searched again. */
const depthSteps = [20n, 17n, 16n, 15n, 14n] as const;

/**
 * The market of a quote, for the next check of the same size; undefined if its routes cannot be measured again. A route of
 * a single pair needs a funded account, because a flash swap of the pair pays the lens instead of a trader.
 */
export function rememberRoutes(
  market: LensReading | undefined,
  exit: ExitReading,
  candidatePools: readonly CandidatePool[],
): LensReading | undefined {
  if (!market || market.tokenOut.decimals !== exit.decimals) return undefined;
  if (market.pairs.some(({ statuses }) => statuses.includes('unread'))) return undefined;
  const isMeasured = ({ pools }: MeasuredRoute) => {
    const [first, ...others] = pools.map((index) => candidatePools[market.pools.get(index)?.candidatePool ?? -1]);
    return first !== undefined && (others.length > 0 || isConcentrated(first.kind));
  };
  const [winner] = market.routes;
  const routes = market.routes.filter(isMeasured).slice(0, maxRoutes);
  // The query has 128 bits for an amount, which may be twice the size or 5/4 of the depth.
  if (!winner || routes[0] !== winner || (market.depth | market.amountIn) >> 120n > 0n) return undefined;
  const used = new Set(routes.flatMap(({ pools }) => pools));
  const pools = [...market.pools.values()].filter(
    ({ index, bandStatus }) => used.has(index) || bandStatus === 'filled',
  );
  if (pools.length > maxPools) return undefined;
  return {
    ...market,
    routes,
    pools: new Map(pools.map((pool) => [pool.index, pool])),
    // Statuses describe a search. A recheck makes none.
    pairs: market.pairs.map((pair) => ({ ...pair, statuses: [] })),
  };
}

/** Requests every remembered pool alone, and every route at the size, at twice the size and around the last depth. */
export function toRouteQuery(memory: LensReading, candidatePools: readonly CandidatePool[]): RouteQuery {
  const pools = [...memory.pools.values()];
  const positions = new Map(pools.map(({ index }, position) => [index, position]));
  const routes = memory.routes.map(({ pools: used }) => used.map((index) => positions.get(index) ?? 0));
  const { amountIn } = memory;
  return {
    pools: pools.flatMap(({ pair: pairIndex, candidatePool: candidatePoolIndex, pool }) => {
      const [pair, candidatePool] = [memory.pairs[pairIndex], candidatePools[candidatePoolIndex]];
      if (!pair || !candidatePool) return [];
      const { kind, fee, tickSpacing, hooks, venue } = candidatePool;
      const address = isSingleton(kind) ? candidatePool.factory : (pool as LowerAddress);
      const known = { kind, pool: address, counter: pair.tokenOut, fee, tickSpacing, hooks, venue };
      return [{ pool: known, tokenIn: pair.tokenIn, amount: pair.amountIn }];
    }),
    routes,
    sizes: [
      { amount: amountIn, routes: routes.length },
      { amount: 2n * amountIn, routes: routes.length },
      ...depthSizes(memory).map((amount) => ({ amount, routes: Math.min(routes.length, maxDeepRoutes) })),
    ],
  };
}

const depthSizes = ({ depth, amountIn }: LensReading): bigint[] =>
  depthSteps.map((step) => (depth * step) / 16n).filter((size) => size > amountIn);

/** The market in the form of the quote lens; undefined if it changed so much that it must be searched again. */
export function fromRouteAnswer(
  memory: LensReading,
  { pools, sales }: RouteAnswer,
  exit: Pick<ExitReading, 'blockNumber' | 'timestamp' | 'parentHash' | 'hasCode' | 'decimals'>,
  chain: { deployment: Deployment; candidatePools: readonly CandidatePool[] },
): LensReading | undefined {
  const { routes, amountIn } = memory;
  const measured = [...memory.pools.values()].map((before, position): PoolReading => {
    const pool = { ...before, ...pools[position] };
    return fitsItsPrice(pool, memory, chain) ? pool : { ...pool, bandStatus: 'rejected' };
  });
  const sold = routes.flatMap(({ pools: route }, position) => {
    const [once, twice] = [sales[position], sales[routes.length + position]];
    if (once?.status !== 'filled' || once.received === 0n || !twice) return [];
    return [{ measured: { pools: route, received: once.received, gas: once.gas }, twice }];
  });
  const [best, ...others] = sold.sort((a, b) => (a.measured.received < b.measured.received ? 1 : -1));
  if (!best || others.length + 1 < routes.length) return undefined;
  if (best.twice.status === 'not-requested' || best.twice.status === 'unread') return undefined;
  const deep = sales.slice(2 * routes.length);
  const perSize = Math.min(routes.length, maxDeepRoutes);
  // At least 99 % of the price at the quoted size. The comparison is exact.
  const passes = (size: bigint, received: bigint) => 100n * received * amountIn >= 99n * best.measured.received * size;
  const depth = depthSizes(memory).find((size, step) =>
    deep
      .slice(step * perSize, (step + 1) * perSize)
      .some(({ status, received }) => status === 'filled' && passes(size, received)),
  );
  if (depth === undefined && memory.depth > amountIn) return undefined;
  const { blockNumber, timestamp, parentHash, hasCode, decimals } = exit;
  return {
    ...memory,
    blockNumber,
    timestamp,
    parentHash,
    tokenOut: { hasCode, decimals },
    pools: new Map(measured.map((pool) => [pool.index, pool])),
    routes: sold.map(({ measured }) => measured),
    twice: { status: best.twice.status, received: best.twice.received },
    depth: depth ?? amountIn,
  };
}

/** Whether the amounts of a price fall of 1 % agree with the reported price: a pool can report any price. */
function fitsItsPrice(
  { pair: pairIndex, candidatePool: candidatePoolIndex, price, bandIn, bandOut }: PoolReading,
  { pairs }: LensReading,
  { deployment, candidatePools }: { deployment: Deployment; candidatePools: readonly CandidatePool[] },
): boolean {
  const [pair, candidatePool] = [pairs[pairIndex], candidatePools[candidatePoolIndex]];
  // A pair's amounts are computed from its reserves; a hook may pay more than the price.
  if (!pair || !candidatePool || !isConcentrated(candidatePool.kind) || candidatePool.hooks !== noHooks || price === 0n)
    return true;
  const isDown =
    currencyOf(candidatePool, pair.tokenIn, deployment) < currencyOf(candidatePool, pair.tokenOut, deployment);
  const squared = price * price;
  const maxOut = isDown ? (bandIn * squared) >> 192n : (bandIn << 192n) / squared;
  return bandOut <= maxOut + 1n && 2n * bandOut >= maxOut;
}
