import { randomAddress } from '../../chain/lensCall.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated, kinds } from '../../venues/kinds.ts';
import type { ExitPool } from '../exit/exitTypes.ts';
import { realRouter, realRouterSteps, routerOf } from './routers.ts';
import {
  drawTip,
  ordinaryGasPrice,
  randomMeans,
  randomUsualGas,
  type Scenario,
  type SimulationBase,
  type Step,
  type TradePlan,
  type TradePool,
} from './simulationTypes.ts';
import { firstWaiting, smallTrade, type Waiting } from './waiting.ts';

/** Name of the scenario that buys the size and sells it in the next block, and buys again later. */
export const roundTrip = 'round-trip';
/** Number of pools besides the best one whose taxes are measured. */
const otherPools = 2;
/** Wei per gas, far above usual prices on Base: some tokens block buyers that pay more than others. */
const highGasPrice = 200_000_000_000n;
/** Largest trade: this fraction of the exit liquidity. A larger one would measure the pool's depth, not the token. */
const largestPart = 4n;
/** Small trade: this fraction of the requested size. */
const smallPart = 100n;
/** Part of the balance that variants sell, in basis points: some tokens reject the sale of a whole balance. */
const half = 5_000;
/** Part of the balance that the first sale after a purchase sells, in basis points. */
const firstSale = 3_000;

/**
 * Plans a trade in a measured pool; undefined if nothing can be bought or sold there.
 * @param sizeInCounter the requested size in base units of the counter-asset
 * @param funder see `TradePlan.funder`
 * @param nativeOf see `TradePlan.native`
 */
export function toTradePlan(
  token: LowerAddress,
  exit: ExitPool,
  venue: string,
  sizeInCounter: bigint,
  funder: LowerAddress | null,
  nativeOf: (spend: bigint) => TradePlan['native'],
): TradePlan | undefined {
  // A pool that pays nothing can still sell the token. A sale then draws what the purchase paid.
  const most = exit.drawn === 0n && exit.status !== 'unread' ? sizeInCounter / smallPart : exit.drawn / largestPart;
  const spend = sizeInCounter < most ? sizeInCounter : most;
  if (spend < smallPart) return undefined;
  const { kind, pool, counter, fee, tickSpacing, hooks } = exit;
  // A pair fills any amount, but a concentrated pool may run out. A pool that funds the purchase needs its own reserve.
  const isFunder = funder === pool;
  const bearable = isConcentrated(kind) || isFunder ? most : exit.other;
  const tenfold = 10n * sizeInCounter;
  const large = tenfold < bearable ? tenfold : bearable;
  const trade: TradePool = { kind, pool, token, counter, fee, tickSpacing, hooks, ...routerOf(venue, kind) };
  const worth = worthOf(trade, exit, spend, funder === null);
  if (worth === 0n) return undefined;
  const native = funder === null ? { amount: spend, wrapped: counter } : nativeOf(spend);
  return { pool: trade, venue, spend, large: large > spend ? large : spend, worth, funder, native };
}

/**
 * Plans every simulated trade. `plans` begins with the best pool.
 *
 * `brief` is for a token whose last check is remembered: each variant makes one sale. Scenarios can then share a
 * simulation, because each has separate wallets.
 */
export function planScenarios(
  plans: readonly TradePlan[],
  base: SimulationBase,
  { brief = false, waiting = firstWaiting }: { brief?: boolean; waiting?: Waiting } = {},
): Scenario[] {
  const [best, ...others] = plans;
  if (!best) return [];
  const gasPrice = ordinaryGasPrice(base);
  // Random, because a token could detect a simulation by a fixed address.
  const [trader, receiver] = [randomAddress(), randomAddress()];
  const small = toSmall(best);
  const toScenario = (name: string, plan: TradePlan, steps: Step[], rest: Partial<Scenario> = {}): Scenario => ({
    name,
    pool: plan.pool,
    wallet: 'ordinary',
    ...(brief ? { trader: randomAddress(), receiver: randomAddress() } : { trader, receiver }),
    gasPrice,
    means: randomMeans(),
    funder: plan.funder,
    steps,
    waits: name === smallTrade ? waiting.small : waiting.others,
    ...rest,
  });
  const bare = brief ? randomAddress() : trader;
  const bareSteps = realRouterSteps(small, bare, { brief });
  const variant = brief ? oneSale(small, half) : traderSteps(small);
  return [
    toScenario(smallTrade, small, ordinarySteps(small)),
    toScenario('size', best, brief ? oneSale(best, 10_000) : wholeThenParts(best)),
    toScenario('gift', best, transferTenth(best, drawTip(best.pool.token, base))),
    toScenario('large', best, [
      ...oneSale({ ...best, spend: best.large }, 10_000),
      ...(brief ? [] : [sell('later', 10)]),
    ]),
    toScenario('same-block', small, [...entry(small), sell('purchase', firstSale)]),
    toScenario('high-gas-price', small, variant, { gasPrice: highGasPrice }),
    toScenario('contract-wallet', small, variant, { wallet: 'contract' }),
    // After all others, so that none of them buys between its purchase and its sale in a shared simulation.
    toScenario(roundTrip, best, brief ? [...entry(best), sell('next', 10_000)] : roundTrips(best)),
    ...(bareSteps ? [toScenario(realRouter, small, bareSteps, { wallet: 'bare', trader: bare, funder: null })] : []),
    ...others.slice(0, otherPools).map((plan) => {
      const little = toSmall(plan);
      return toScenario(`pool ${plan.pool.pool}`, little, oneSale(little, half));
    }),
  ];
}

const toSmall = ({ native, ...plan }: TradePlan): TradePlan => ({
  ...plan,
  spend: plan.spend / smallPart,
  worth: plan.worth / smallPart,
  native: native && { ...native, amount: native.amount / smallPart },
});

const sell = (at: Step['at'], bps: number, account: 'trader' | 'receiver' = 'trader') => ({
  action: 'sell' as const,
  at,
  account,
  bps,
});

const entry = ({ spend }: TradePlan): Step[] => [
  { action: 'buy', at: 'purchase', amount: spend },
  { action: 'approve', at: 'purchase', account: 'trader' },
];

const oneSale = (plan: TradePlan, bps: number): Step[] => [...entry(plan), sell('later', bps)];

/**
 * Buys the size and sells all of it in the next block, and buys again after a minute, ten minutes and a day: launch fees of
 * a token or a hook fall with time. The later purchases are kept, because many tokens refuse a sale in the same block.
 */
function roundTrips(plan: TradePlan): Step[] {
  const again = (['later', 'tenMinutes', 'day'] as const).map((at) => ({
    action: 'buy' as const,
    at,
    amount: plan.spend,
  }));
  return [...entry(plan), sell('next', 10_000), ...again];
}

/** Sells a part in the next block and transfers a part, sells more a minute later, and again a day later. */
function ordinarySteps(plan: TradePlan): Step[] {
  return [
    ...entry(plan),
    sell('next', firstSale),
    { action: 'transfer', at: 'next', amount: plan.worth / 10n },
    { action: 'balance', at: 'next', account: 'receiver' },
    { action: 'balance', at: 'next', account: 'trader' },
    { action: 'approve', at: 'later', account: 'receiver' },
    { action: 'balance', at: 'later', account: 'trader' },
    // Only a part, because balanceOf() may report more than the receiver can transfer.
    sell('later', 900, 'receiver'),
    sell('later', half),
    sell('day', half),
  ];
}

/** The trader's steps of `ordinarySteps`. Another kind of wallet repeats them in the same blocks, for comparison. */
function traderSteps(plan: TradePlan): Step[] {
  return ordinarySteps(plan).filter(
    (step) => step.action !== 'balance' && !('account' in step && step.account === 'receiver'),
  );
}

/**
 * Transfers a tenth of the full size, because a flat fee may exceed a small transfer. The receiver sells a part of it. The
 * sender then sells with a larger tip and a gas limit as wallets set it: tokens may tax either.
 */
function transferTenth(plan: TradePlan, moreTip: bigint): Step[] {
  return [
    ...entry(plan),
    { action: 'transfer', at: 'next', amount: plan.worth / 10n },
    { action: 'balance', at: 'next', account: 'receiver' },
    { action: 'balance', at: 'next', account: 'trader' },
    { action: 'approve', at: 'later', account: 'receiver' },
    sell('later', 900, 'receiver'),
    { ...sell('later', half), moreTip, gas: randomUsualGas() },
  ];
}

/** Sells the whole balance at the requested size, then half, then a hundredth, and all a day later. */
function wholeThenParts(plan: TradePlan): Step[] {
  return [...entry(plan), sell('later', 10_000), sell('later', 5_000), sell('later', 100), sell('day', 10_000)];
}

/** The amount of the token that `spend` buys at the pool's price, without fee or impact. Base units. */
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
