import { swap } from '../../venues/models.ts';
import type { OpaqueState } from '../../venues/opaque.ts';
import type { Pool, PoolState } from '../../venues/poolTypes.ts';
import type { ConcentratedState } from '../../venues/uniswapV3/concentrated.ts';
import { maxTick, minTick } from '../../venues/uniswapV3/tickMaths.ts';
import { toCurve } from './curve.ts';
import type { Network } from './network.ts';
import type { Plan, PlanLeg } from './planTypes.ts';
import { smallAmount } from './smallAmounts.ts';

const maxRoutes = 8;
/** Maximum number of these that go beyond the known ticks: each crosses many ticks. */
const maxBeyondTicks = 2;
/** Unread ticks are assumed to pay at most this multiple of the output within the known ones: the price falls with each. */
const maxBeyond = 3;
const two192 = 2 ** 192;
/** A pool's samples sell these parts of an amount: the order, halved until a pool can fill it. */
const sampledParts = [16n, 4n, 2n, 1n] as const;
/** The halved amount is at most this multiple of the reserve that the pool reports. */
const maxReserves = 2;
const maxHalvings = 10;
/** Maximum number of pools that are sampled. */
const maxSampled = 8;
/** The estimate of a sampled pool must be at least this part of the output already found. */
const leastOutput = 1 / 256;

/** Possible output of an opaque pool: bounded by its balance, ranked by the price and liquidity that it reports. */
interface Output {
  bound: number;
  estimate: number;
}

interface OpaqueRoutes {
  plans: Plan[];
  /** One of the routes trades beyond the ticks that were read. */
  leavesTicks: boolean;
  /** Parts of the order on one route of each opaque pool, so that executions give the pool's curve. */
  samples: Plan[];
}

interface FoundRoute {
  legs: PlanLeg[];
  estimate: number;
  leavesTicks: boolean;
  /** Cannot pay more than the output already found. */
  isSmall: boolean;
  /** The opaque pool, the token that it sells, and the part of the order to sample, as a number of halvings. */
  sampled: { key: string; halvings: number };
}

/**
 * Single routes that may pay more than `paid` over one pool whose output cannot be computed: an opaque one, or one that
 * would trade beyond the ticks that were read. In descending order of their estimates, and bounded in number, because each
 * costs an execution.
 */
export function opaqueRoutes(
  { pools, tokenIn, tokenOut, amountIn }: { pools: readonly Pool[] } & Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>,
  network: Network,
  paid: bigint,
): OpaqueRoutes {
  const { tokens } = network;
  const last = tokens.length - 1;
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  /** By the pools: a route over two opaque pools is found from each of them. */
  const found = new Map<string, FoundRoute>();
  const best = bestHops(pools, network, amountIn);
  for (const { ref, state } of pools) {
    if (state.kind !== 'opaque' && state.kind !== 'concentrated') continue;
    for (const zeroForOne of [true, false]) {
      const [sold, bought] = zeroForOne ? [ref.token0, ref.token1] : [ref.token1, ref.token0];
      const [from, to] = [indexOf.get(sold), indexOf.get(bought)];
      if (from === undefined || to === undefined || to === 0) continue;
      const before = best.to[from];
      if (!before) continue;
      const through =
        state.kind === 'opaque'
          ? estimateOutput(state, zeroForOne, before.amountOut)
          : beyondKnownTicks(state, zeroForOne, before.amountOut);
      if (!through) continue;
      const isSmall = to === last && through.bound < Number(paid);
      const rests = to === last ? [{ legs: [], amountOut: through.estimate }] : best.from(to, through.estimate);
      for (const rest of rests) {
        if (!(rest.amountOut > 0)) continue;
        if (state.kind === 'concentrated' && rest.amountOut * maxBeyond < Number(paid)) continue;
        const whole = 10_000;
        const legs = [...before.legs, { pool: ref, tokenIn: sold, tokenOut: bought, shareBps: whole }, ...rest.legs];
        const key = legs.map(({ pool }) => pool.id).join();
        const sampled = { key: `${ref.id}${sold}`, halvings: halvingsOf(state, zeroForOne, before.amountOut) };
        const leavesTicks = state.kind === 'concentrated';
        found.set(key, { legs, estimate: rest.amountOut, leavesTicks, isSmall, sampled });
      }
    }
  }
  const ranked = [...found.values()].sort((a, b) => b.estimate - a.estimate);
  let beyond = 0;
  const affordable = ranked.filter((route) => !route.isSmall && (!route.leavesTicks || ++beyond <= maxBeyondTicks));
  const chosen = affordable.slice(0, maxRoutes);
  const leavesTicks = chosen.some((route) => route.leavesTicks);
  const toPlan = (legs: PlanLeg[], amount: bigint): Plan => ({ tokenIn, tokenOut, amountIn: amount, legs });
  const samples = bestOfEachPool(ranked, paid).flatMap(({ legs, sampled: { halvings } }) =>
    sampledParts.flatMap((part) => {
      const amount = (amountIn >> BigInt(halvings)) / part;
      return amount > 0n ? toPlan(legs, amount) : [];
    }),
  );
  return { plans: chosen.map(({ legs }) => toPlan(legs, amountIn)), leavesTicks, samples };
}

/** The best route of each opaque pool, if the pool can pay enough to improve a plan. */
function bestOfEachPool(ranked: readonly FoundRoute[], paid: bigint): FoundRoute[] {
  const best = new Map<string, FoundRoute>();
  for (const route of ranked) {
    const { key } = route.sampled;
    if (route.leavesTicks || best.has(key) || route.estimate < Number(paid) * leastOutput) continue;
    best.set(key, route);
  }
  return [...best.values()].slice(0, maxSampled);
}

/** How often an amount must be halved to be at most twice the reserve that the pool reports. */
function halvingsOf(state: PoolState, zeroForOne: boolean, amountIn: number): number {
  if (state.kind !== 'opaque') return 0;
  const { sqrtPriceX96 = 0n, liquidity = 0n, balance0, balance1 } = state;
  const root = Math.sqrt(Number(sqrtPriceX96 * sqrtPriceX96) / two192);
  const balance = Number((zeroForOne ? balance0 : balance1) ?? 0n);
  const reserve = root > 0 ? Number(liquidity) * (zeroForOne ? 1 / root : root) : balance;
  if (!(reserve > 0)) return 0;
  return Math.min(maxHalvings, Math.max(0, Math.ceil(Math.log2(amountIn / (reserve * maxReserves)))));
}

/** One hop, or none at the end of a route. */
interface Hop {
  legs: PlanLeg[];
  amountOut: number;
}

/** Two hops within this part of each other are both executed, because the input of a last hop is an estimate. */
const nearlyBest = 0.999;

/**
 * The best single hop from tokenIn to each token, and the best ones from a token to tokenOut. Searches the pools
 * themselves, because the network has no edges from a token that only opaque pools buy.
 */
function bestHops(pools: readonly Pool[], { tokens }: Network, amountIn: bigint) {
  const last = tokens.length - 1;
  const hops = (from: number, to: number, amount: number): Hop[] => {
    const [tokenIn, tokenOut] = [tokens[from], tokens[to]];
    const found: Hop[] = [];
    let opaque: Hop | undefined;
    for (const { ref, state } of pools) {
      const zeroForOne = ref.token0 === tokenIn && ref.token1 === tokenOut;
      if (!tokenIn || !tokenOut || (!zeroForOne && !(ref.token0 === tokenOut && ref.token1 === tokenIn))) continue;
      const legs = [{ pool: ref, tokenIn, tokenOut, shareBps: 10_000 }];
      if (state.kind === 'opaque') {
        const { estimate } = estimateOutput(state, zeroForOne, amount);
        if (estimate >= 1 && estimate > (opaque?.amountOut ?? 0)) opaque = { legs, amountOut: estimate };
        continue;
      }
      const amountOut = payOf(state, zeroForOne, amount);
      if (amountOut >= 1) found.push({ legs, amountOut });
    }
    found.sort((a, b) => b.amountOut - a.amountOut);
    const nearly = found.slice(0, 2).filter(({ amountOut }) => amountOut >= (found[0]?.amountOut ?? 0) * nearlyBest);
    return opaque ? [...nearly, opaque] : nearly;
  };
  const amount = Number(amountIn);
  const to = tokens.map((_, token): Hop | undefined =>
    token === 0 ? { legs: [], amountOut: amount } : token === last ? undefined : hops(0, token, amount)[0],
  );
  return { to, from: (token: number, sold: number) => hops(token, last, sold) };
}

/** Small amounts are computed exactly: rounding decides between pools. */
function payOf(state: PoolState, zeroForOne: boolean, amount: number): number {
  if (amount < smallAmount) return Number(swap(state, zeroForOne, BigInt(Math.floor(amount)))?.amountOut ?? 0n);
  return toCurve(state, zeroForOne)?.pay(amount) ?? 0;
}

/** Output of a pool whose known ticks end before the order; it may take the rest beyond them. Otherwise undefined. */
function beyondKnownTicks(state: ConcentratedState, zeroForOne: boolean, amountIn: number): Output | undefined {
  const isAllKnown = zeroForOne ? state.knownFrom <= minTick : state.knownTo >= maxTick;
  const curve = isAllKnown ? undefined : toCurve(state, zeroForOne);
  if (!curve || curve.pay(amountIn) >= 0) return undefined;
  return { bound: Number.POSITIVE_INFINITY, estimate: curve.reach(amountIn) };
}

function estimateOutput(state: OpaqueState, zeroForOne: boolean, amountIn: number): Output {
  const balance = zeroForOne ? state.balance1 : state.balance0;
  const bound = balance === undefined ? Number.POSITIVE_INFINITY : Number(balance);
  const { sqrtPriceX96, liquidity, feePips = 0 } = state;
  if (sqrtPriceX96 === undefined || sqrtPriceX96 <= 0n) return { bound, estimate: Math.min(bound, amountIn) };
  const ratio = Number(sqrtPriceX96 * sqrtPriceX96) / two192;
  const price = zeroForOne ? ratio : 1 / ratio;
  const flat = amountIn * price * (1 - feePips / 1e6);
  if (liquidity === undefined) return { bound, estimate: Math.min(bound, flat) };
  const root = Math.sqrt(ratio);
  const reserveOut = Number(liquidity) * (zeroForOne ? root : 1 / root);
  return { bound, estimate: Math.min(bound, (reserveOut * flat) / (reserveOut + flat)) };
}
