import type { ConcentratedState, OpaqueState, Pool } from '../../pools/poolTypes.ts';
import { maxTick, minTick } from '../../pools/tickMaths.ts';
import { toCurve } from './curve.ts';
import type { Network, Path } from './network.ts';
import type { Plan, PlanLeg } from './planTypes.ts';

const mostRoutes = 6;
/** Ticks that were not read pay at most this often what the known ones pay: the price falls with every tick. */
const mostBeyond = 3;
const two192 = 2 ** 192;

/** Possible output of an opaque pool: bounded by its balance, ranked by the price and liquidity that it reports. */
interface Promise {
  bound: number;
  estimate: number;
}

interface OpaqueRoutes {
  plans: Plan[];
  /** A route trades beyond the ticks that were read. */
  leavesTicks: boolean;
}

/**
 * Single routes that may pay more than `paid` over one pool that maths does not cover: an opaque one, or one that would
 * trade beyond the ticks that were read. The most promising come first. Their number is bounded:
 * each costs an execution.
 */
export function opaqueRoutes(
  { pools, tokenIn, tokenOut, amountIn }: { pools: readonly Pool[] } & Pick<Plan, 'tokenIn' | 'tokenOut' | 'amountIn'>,
  network: Network,
  paid: bigint,
): OpaqueRoutes {
  const { tokens } = network;
  const last = tokens.length - 1;
  const indexOf = new Map(tokens.map((token, index) => [token, index]));
  const found: { legs: PlanLeg[]; estimate: number; leavesTicks: boolean }[] = [];
  const best = bestHops(network, Number(amountIn));
  for (const { ref, state } of pools) {
    if (state.kind !== 'opaque' && state.kind !== 'concentrated') continue;
    for (const zeroForOne of [true, false]) {
      const [sold, bought] = zeroForOne ? [ref.token0, ref.token1] : [ref.token1, ref.token0];
      const [from, to] = [indexOf.get(sold), indexOf.get(bought)];
      if (from === undefined || to === undefined || from === last || to === 0) continue;
      const before = best.to[from];
      if (!before) continue;
      const through =
        state.kind === 'opaque'
          ? promiseOf(state, zeroForOne, before.amountOut)
          : beyondKnownTicks(state, zeroForOne, before.amountOut);
      if (!through) continue;
      const rest = to === last ? { edges: [], amountOut: through.estimate } : best.from(to, through.estimate);
      if (!rest || before.edges.length + 1 + rest.edges.length > 3) continue;
      if (to === last && through.bound < Number(paid)) continue;
      if (!(rest.amountOut > 0) || (state.kind === 'concentrated' && rest.amountOut * mostBeyond < Number(paid)))
        continue;
      const whole = 10_000;
      const legs = [
        ...before.edges.map((edge) => legOf(edge, tokens)),
        { pool: ref, tokenIn: sold, tokenOut: bought, shareBps: whole },
        ...rest.edges.map((edge) => legOf(edge, tokens)),
      ];
      found.push({ legs, estimate: rest.amountOut, leavesTicks: state.kind === 'concentrated' });
    }
  }
  found.sort((a, b) => b.estimate - a.estimate);
  const chosen = found.slice(0, mostRoutes);
  const leavesTicks = chosen.some((route) => route.leavesTicks);
  return { plans: chosen.map(({ legs }) => ({ tokenIn, tokenOut, amountIn, legs })), leavesTicks };
}

type Hop = Pick<Path, 'edges' | 'amountOut'>;

/** The best single hop from tokenIn to each token, and from a token to tokenOut. */
function bestHops({ tokens, between }: Network, amountIn: number) {
  const last = tokens.length - 1;
  const hop = (from: number, to: number, amount: number): Hop | undefined => {
    let best: Hop | undefined;
    for (const edge of between[from]?.[to] ?? []) {
      const amountOut = edge.curve.pay(amount);
      if (amountOut >= 1 && amountOut > (best?.amountOut ?? 0)) best = { edges: [edge], amountOut };
    }
    return best;
  };
  const to = tokens.map((_, token): Hop | undefined =>
    token === 0 ? { edges: [], amountOut: amountIn } : token === last ? undefined : hop(0, token, amountIn),
  );
  return { to, from: (token: number, amount: number) => hop(token, last, amount) };
}

/** A pool that may take the rest of an order beyond the ticks that were read, if what it takes within them matters. */
function beyondKnownTicks(state: ConcentratedState, zeroForOne: boolean, amountIn: number): Promise | undefined {
  const isAllKnown = zeroForOne ? state.knownFrom <= minTick : state.knownTo >= maxTick;
  const curve = isAllKnown ? undefined : toCurve(state, zeroForOne);
  if (!curve || curve.pay(amountIn) >= 0) return undefined;
  return { bound: Number.POSITIVE_INFINITY, estimate: curve.reach(amountIn) };
}

function promiseOf(state: OpaqueState, zeroForOne: boolean, amountIn: number): Promise {
  const balance = zeroForOne ? state.balance1 : state.balance0;
  const bound = balance === undefined ? Number.POSITIVE_INFINITY : Number(balance);
  const { sqrtPriceX96, liquidity } = state;
  if (sqrtPriceX96 === undefined || sqrtPriceX96 <= 0n) return { bound, estimate: Math.min(bound, amountIn) };
  const ratio = Number(sqrtPriceX96 * sqrtPriceX96) / two192;
  const price = zeroForOne ? ratio : 1 / ratio;
  const flat = amountIn * price;
  if (liquidity === undefined) return { bound, estimate: Math.min(bound, flat) };
  const root = Math.sqrt(ratio);
  const reserveOut = Number(liquidity) * (zeroForOne ? root : 1 / root);
  return { bound, estimate: Math.min(bound, reserveOut > 0 ? (reserveOut * flat) / (reserveOut + flat) : 0) };
}

function legOf({ pool, from, to }: Path['edges'][number], tokens: Network['tokens']): PlanLeg {
  return {
    pool: pool.ref,
    tokenIn: tokens[from] as Plan['tokenIn'],
    tokenOut: tokens[to] as Plan['tokenIn'],
    shareBps: 10_000,
  };
}
