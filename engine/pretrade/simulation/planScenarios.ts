import { randomAddress } from '../../chain/lensCall.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated, kinds } from '../../venues/kinds.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import { realRouter, realRouterSteps } from './realRouter.ts';
import { routerOf } from './routers.ts';
import { randomMeans, randomTip, type Scenario, type Step, type TradePlan, type TradePool } from './simulationTypes.ts';

/** The name of the ordinary wallet's trade of a small amount. */
export const smallTrade = 'small';
/** Pools beside the best one whose taxes are measured. */
const otherPools = 2;
/** Far above what anyone pays on Base; traps look for buyers who pay more than others. */
const highGasPrice = 500_000_000_000n;
/** Of the exit liquidity: larger trades would show how thin the pool is, not what the token does. */
const largestPart = 4n;
const smallPart = 100n;
/** What variants sell, in hundredths of a percent: some tokens refuse to sell a whole balance. */
const half = 5_000;
/** The ordinary wallet's sales in the block after its purchase. */
const firstSale = 3_000;

/** Turns a measured exit into a plan to trade there; undefined where nothing can be bought or sold. */
export function toTradePlan(
  token: LowerAddress,
  exit: ExitPool,
  venue: string,
  sizeInCounter: bigint,
  funder: LowerAddress | null,
): TradePlan | undefined {
  // An empty pool sells all the same, and then has what a sale can draw.
  const most = exit.drawn === 0n && exit.status !== 'unread' ? sizeInCounter / smallPart : exit.drawn / largestPart;
  const spend = sizeInCounter < most ? sizeInCounter : most;
  if (spend < smallPart) return undefined;
  const { kind, pool, counter, fee, tickSpacing, hooks } = exit;
  // A pair sells at any price; a concentrated pool may run out.
  // Nor may a pool give away the reserve that it sells for.
  const isGiver = funder === pool;
  const bearable = isConcentrated(kind) || isGiver ? most : exit.other;
  const tenfold = 10n * sizeInCounter;
  const large = tenfold < bearable ? tenfold : bearable;
  const trade: TradePool = { kind, pool, token, counter, fee, tickSpacing, hooks, ...routerOf(venue, kind) };
  const worth = worthOf(trade, exit, spend, funder === null);
  return worth === 0n ? undefined : { pool: trade, venue, spend, large: large > spend ? large : spend, worth, funder };
}

/**
 * Every trade that is simulated. The first plan is the best pool.
 *
 * `brief` is for a token whose last check is remembered: each variant makes one sale. They can share a simulation, because
 * each scenario has wallets of its own and the first one is complete.
 */
export function planScenarios(plans: readonly TradePlan[], gasPrice: bigint, { brief = false } = {}): Scenario[] {
  const [best, ...others] = plans;
  if (!best) return [];
  // Unpredictable: a token that knew the trader's address could detect the simulation.
  const [trader, receiver] = [randomAddress(), randomAddress()];
  const small = { ...best, spend: best.spend / smallPart, worth: best.worth / smallPart };
  const make = (name: string, plan: TradePlan, steps: Step[], rest: Partial<Scenario> = {}): Scenario => ({
    name,
    pool: plan.pool,
    wallet: 'ordinary',
    ...(brief ? { trader: randomAddress(), receiver: randomAddress() } : { trader, receiver }),
    gasPrice,
    means: randomMeans(),
    funder: plan.funder,
    steps,
    ...rest,
  });
  const bare = brief ? randomAddress() : trader;
  const plainly = realRouterSteps(small, bare, { brief });
  const variant = brief ? oneSale(small, half) : traderSteps(small);
  return [
    make(smallTrade, small, ordinaryLife(small)),
    make('size', best, brief ? oneSale(best, 10_000) : wholeThenParts(best)),
    make('gift', best, giveTenth(best)),
    make('large', best, [...oneSale({ ...best, spend: best.large }, 10_000), ...(brief ? [] : [sell('later', 10)])]),
    make('same-block', small, [...entry(small), sell('purchase', firstSale)]),
    make('high-gas-price', small, variant, { gasPrice: highGasPrice }),
    make('contract-wallet', small, variant, { wallet: 'contract' }),
    ...(plainly ? [make(realRouter, small, plainly, { wallet: 'bare', trader: bare })] : []),
    ...others.slice(0, otherPools).map((plan) => {
      const little = { ...plan, spend: plan.spend / smallPart, worth: plan.worth / smallPart };
      return make(`pool ${plan.pool.pool}`, little, oneSale(little, half));
    }),
  ];
}

const sell = (at: Step['at'], bps: number, who: 'trader' | 'receiver' = 'trader') => ({
  what: 'sell' as const,
  at,
  who,
  bps,
});

const entry = ({ spend }: TradePlan): Step[] => [
  { what: 'buy', at: 'purchase', amount: spend },
  { what: 'approve', at: 'purchase', who: 'trader' },
];

const oneSale = (plan: TradePlan, bps: number): Step[] => [...entry(plan), sell('later', bps)];

/** Sells a part in the next block, gives some away, sells more 60 blocks later, and again a day later. */
function ordinaryLife(plan: TradePlan): Step[] {
  return [
    ...entry(plan),
    sell('next', firstSale),
    { what: 'transfer', at: 'next', amount: plan.worth / 10n },
    { what: 'balance', at: 'next', who: 'receiver' },
    { what: 'balance', at: 'next', who: 'trader' },
    { what: 'approve', at: 'later', who: 'receiver' },
    { what: 'balance', at: 'later', who: 'trader' },
    // A part: a balance that lies shows more than can be moved.
    sell('later', 900, 'receiver'),
    sell('later', half),
    sell('day', half),
  ];
}

/** The trader's trades of `ordinaryLife`; another kind of wallet repeats them in the same blocks for comparison. */
function traderSteps(plan: TradePlan): Step[] {
  return ordinaryLife(plan).filter((step) => step.what !== 'balance' && !('who' in step && step.who === 'receiver'));
}

/**
 * A flat fee may exceed a small transfer, so a larger one is also sent, and sold by its receiver. The sender pays a
 * larger tip.
 */
function giveTenth(plan: TradePlan): Step[] {
  return [
    ...entry(plan),
    { what: 'transfer', at: 'next', amount: plan.worth / 10n },
    { what: 'balance', at: 'next', who: 'receiver' },
    { what: 'balance', at: 'next', who: 'trader' },
    { what: 'approve', at: 'later', who: 'receiver' },
    sell('later', 900, 'receiver'),
    { ...sell('later', half), moreTip: randomTip() },
  ];
}

/** All at once at the requested size; where that is refused, half, a hundredth, and all again a day later. */
function wholeThenParts(plan: TradePlan): Step[] {
  return [...entry(plan), sell('later', 10_000), sell('later', 5_000), sell('later', 100), sell('day', 10_000)];
}

/** By the pool's price, without fee or impact. */
function worthOf(
  { kind, token, counter }: TradePool,
  { price, other }: ExitPool,
  spend: bigint,
  native: boolean,
): bigint {
  if (!isConcentrated(kind)) return other === 0n ? 0n : (spend * price) / other;
  if (price === 0n) return 0n;
  const counterFirst = (native && kind === kinds.v4Native) || BigInt(counter) < BigInt(token);
  const squared = price * price;
  return counterFirst ? (spend * squared) >> 192n : (spend << 192n) / squared;
}
