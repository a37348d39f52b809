import type { LowerAddress } from '../../lowerAddress.ts';
import { deepestOf, midsOf } from '../../quote/market/deepestMid.ts';
import type { MarketRead } from '../../quote/market/prepareMarket.ts';
import { executedPools } from '../../quote/plan/choosePlan.ts';
import type { PlanExecution } from '../../quote/plan/executionTypes.ts';
import { usdStableSymbol } from '../../quote/query/usdSources.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { BaseReading, ExitReading } from '../exit/exitTypes.ts';

const descending = (a: bigint, b: bigint) => Number(b > a) - Number(b < a);
/** In bps: a leg that sells the whole order. */
const wholeShareBps = 10_000;

/** USD for one base unit of an asset, and the source of the price. */
interface UsdPrice {
  usdPerUnit: number;
  source: 'stable' | 'feed' | 'pool';
}

/** The market of the quote from the stable: its states, and the executions of its routes. */
type Quoted = Pick<MarketRead, 'read' | 'done'>;

/** By lower-case address. An asset without a known price is absent. */
export type UsdPrices = Map<string, UsdPrice>;

/** If a feed and the pools differ by more than this factor, one of them is wrong and neither is used. */
const maxRatio = 1.25;

/**
 * Prices of the base assets: 1:1 for USD stables, else a fresh feed with the sequencer up, else the mid of the deepest
 * pool against the quote's stable. An asset whose feed and pool contradict each other has no price: a wrong price would
 * make ample exit liquidity look drained, or drained liquidity look ample.
 */
export function usdPricesOf(reading: ExitReading, deployment: Deployment, quoted: Quoted | undefined): UsdPrices {
  const prices: UsdPrices = new Map();
  for (const base of reading.bases) {
    const price =
      stablePrice(base, deployment) ?? agreed(feedPrice(base, reading, deployment), poolPrice(base, quoted));
    if (price) prices.set(base.token, price);
  }
  return prices;
}

/** One sentence for each feed that the pools contradict. */
export function feedDoubts(reading: ExitReading, deployment: Deployment, quoted: Quoted | undefined): string[] {
  return reading.bases.flatMap((base) => {
    if (stablePrice(base, deployment)) return [];
    const [feed, pool] = [feedPrice(base, reading, deployment), poolPrice(base, quoted)];
    if (!feed || !pool || agreed(feed, pool)) return [];
    const name = deployment.pricingAssets.find(({ address }) => address === base.token)?.symbol;
    const ratio = (feed.usdPerUnit / pool.usdPerUnit).toPrecision(3);
    return [`The price feed of ${name ?? base.token} reports ${ratio} times the price in its pools; neither is used.`];
  });
}

function agreed(feed: UsdPrice | undefined, pool: UsdPrice | undefined): UsdPrice | undefined {
  if (!feed || !pool) return feed ?? pool;
  const ratio = feed.usdPerUnit / pool.usdPerUnit;
  return ratio > maxRatio || ratio < 1 / maxRatio ? undefined : feed;
}

function stablePrice({ token, tokenDecimals }: BaseReading, deployment: Deployment): UsdPrice | undefined {
  if (tokenDecimals === undefined || !usdStableSymbol(token, deployment)) return undefined;
  return { usdPerUnit: 10 ** -tokenDecimals, source: 'stable' };
}

function feedPrice(base: BaseReading, reading: ExitReading, { feeds }: Deployment): UsdPrice | undefined {
  const heartbeat = feeds[base.token]?.heartbeatSeconds;
  const trusted = reading.sequencer === 'none' || reading.sequencer === 'up';
  if (!base.read || base.answer === 0n || heartbeat === undefined || base.tokenDecimals === undefined) return undefined;
  if (!trusted || reading.timestamp > base.updatedAt + BigInt(heartbeat)) return undefined;
  return { usdPerUnit: Number(base.answer) / 10 ** (base.decimals + base.tokenDecimals), source: 'feed' };
}

/** Counts only pools that an execution of the quote's market confirmed. */
function poolPrice({ token, tokenDecimals }: BaseReading, quoted: Quoted | undefined): UsdPrice | undefined {
  const stable = quoted?.read.states.tokens[0];
  if (!quoted || stable?.decimals === undefined || tokenDecimals === undefined) return undefined;
  const { done, read } = quoted;
  const mids = midsOf(stable.address, token, executedPools(done, read.states.pools));
  const deepest = deepestOf(mids, paidFor(stable.address, token, done));
  return deepest && deepest.mid > 0 ? { usdPerUnit: 10 ** -stable.decimals / deepest.mid, source: 'pool' } : undefined;
}

/**
 * The best price between two tokens that an execution of the whole order got in one pool, in base units; 0 without one. A part
 * of an order does not count: anyone can offer it a better price in a small pool, at little cost.
 */
function paidFor(from: LowerAddress, to: LowerAddress, executions: readonly PlanExecution[]): number {
  const whole = executions.map(({ plan }) => plan.amountIn).sort(descending)[0] ?? 0n;
  const paid = executions.flatMap(({ plan, run }) =>
    plan.legs.map(({ tokenIn, tokenOut, shareBps }, index) => {
      const moved = run.status === 'filled' ? run.legs[index] : undefined;
      const isBetween = tokenIn === from && tokenOut === to && tokenIn === plan.tokenIn;
      if (!moved || !isBetween || plan.amountIn < whole || shareBps < wholeShareBps || moved.arrived === 0n) return 0;
      return Number(moved.nominal) / Number(moved.arrived);
    }),
  );
  return Math.max(0, ...paid);
}
