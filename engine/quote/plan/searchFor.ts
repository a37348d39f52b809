import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import type { ChainData } from '../chainData.ts';
import { deepestOf, midsOf, type PoolMid } from '../market/deepestMid.ts';
import type { Search } from '../market/marketMemory.ts';
import type { Depth } from '../search/depth.ts';
import type { FilledPlan, Order } from '../search/planTypes.ts';
import { type SearchResult, searchPlan } from '../search/searchPlan.ts';

/** The order's tokens and the routing assets. Its routes may use other tokens too, which anyone can deploy. */
export function listedTokens({ deployment }: Pick<ChainData, 'deployment'>, { tokenIn, tokenOut }: Order) {
  return new Set([tokenIn, tokenOut, ...deployment.routingAssets.map(({ address }) => address)]);
}

/** The routing assets, then all other tokens of the pools that were read. */
function routingTokensOf({ deployment }: Pick<ChainData, 'deployment'>, { pools }: StateReading): LowerAddress[] {
  const routed = deployment.routingAssets.map(({ address }) => address);
  return [...new Set([...routed, ...pools.flatMap(({ ref }) => [ref.token0, ref.token1])])];
}

/** Computes the best plan from the states of pools: of all that were read, or of some. */
export function searchFor(
  data: Pick<ChainData, 'deployment'>,
  states: StateReading,
  order: Order,
  pools: readonly Pool[] = states.pools,
): SearchResult {
  const routingTokens = routingTokensOf(data, states);
  const gasPrice = gasPriceIn(order.tokenOut, states, data);
  const search = (some: readonly Pool[]) => searchPlan({ ...order, pools: some, routingTokens, gasPrice });
  const result = search(pools);
  // Over a token that anyone can deploy, rounding can cost a route more than the search assumes, and displace better ones.
  const listed = listedTokens(data, order);
  const safe = pools.filter(({ ref }) => listed.has(ref.token0) && listed.has(ref.token1));
  if (safe.length === pools.length) return result;
  const { single, runnerUp, best, depthBelow, samples } = search(safe);
  return {
    ...result,
    samples,
    ...(paysMore(single, result.single) && { single, runnerUp }),
    ...(paysMore(best, result.best) && { best, depthBelow }),
  };
}

const paysMore = (plan: FilledPlan | undefined, other: FilledPlan | undefined): boolean =>
  plan !== undefined && (!other || plan.amountOut > other.amountOut);

/**
 * The depth over the pools of listed tokens and those of the answer's own plan. An order never pays less than over listed
 * tokens alone. Over the plan's other tokens it may, so then the depth counts only if an order of this size pays enough.
 */
export function depthOverListed(
  {
    searchOver,
    trusted,
    safe,
    own,
    amountIn,
  }: Record<'trusted' | 'safe' | 'own', readonly Pool[]> & {
    searchOver: (pools: readonly Pool[], amountIn: bigint) => SearchResult;
    amountIn: bigint;
  },
  amountOut: bigint,
): Depth {
  const depthOver = (pools: readonly Pool[]) => {
    const { best, depthBelow } = searchOver(pools, amountIn);
    return depthBelow(larger(best?.amountOut ?? 0n, amountOut));
  };
  if (own.length === 0) return depthOver(safe);
  const depth = depthOver([...safe, ...own]);
  const paid = searchOver(trusted, depth.size).best?.amountOut ?? 0n;
  return paid * amountIn * 100n >= amountOut * depth.size * 99n ? depth : depthOver(safe);
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * Base units of tokenOut for one unit of gas at the block's base fee; undefined without a price of the native coin. The
 * deepest route counts, directly or over a pricing asset: a dust pool far above the market would make gas look expensive
 * and prevent splits. Mids are not compared with a fill, for the same reason.
 */
export function gasPriceIn(
  tokenOut: LowerAddress,
  { block, pools }: StateReading,
  { deployment }: Pick<ChainData, 'deployment'>,
): number | undefined {
  const native = deployment.wrappedNative;
  const baseFee = Number(block.baseFee);
  if (tokenOut === native) return baseFee;
  const deepestBetween = (from: LowerAddress, to: LowerAddress) => deepestOf(midsOf(from, to, pools), 0);
  const direct = deepestBetween(native, tokenOut);
  const routes: PoolMid[] = direct ? [direct] : [];
  for (const { address: asset } of deployment.pricingAssets) {
    const [toAsset, toOut] = [deepestBetween(native, asset), deepestBetween(asset, tokenOut)];
    if (!toAsset || !toOut) continue;
    routes.push({ mid: toAsset.mid * toOut.mid, depth: Math.min(toAsset.depth * toOut.mid, toOut.depth) });
  }
  const deepest = deepestOf(routes, 0);
  return deepest && baseFee * deepest.mid;
}

/** Factor and number of the larger orders that show whether the output of an order rounds to zero. */
const [largerFactor, maxLarger] = [1_000n, 8];

/** Whether no route pays a base unit of tokenOut, but one pays for a larger order. */
export function roundsToZero(data: ChainData, { states, order, result }: Search): boolean {
  if (result.single) return false;
  let { amountIn } = order;
  for (let count = 0; count < maxLarger; count++) {
    amountIn *= largerFactor;
    if (searchFor(data, states, { ...order, amountIn }).single) return true;
  }
  return false;
}
