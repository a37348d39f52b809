/** Result of a swap of the whole amount. */
export interface SwapResult<State> {
  amountOut: bigint;
  /** The state after the swap. */
  state: State;
  /** Initialised ticks that the swap crossed: each costs gas. */
  ticksCrossed: number;
}

/**
 * A pool in one direction, in floating point. The search compares thousands of amounts and computes only the chosen plans
 * with `swap`.
 */
export interface Curve {
  /** Output for `amountIn`; -Infinity if the pool cannot take it all. */
  pay(amountIn: number): number;
  /** Output for the next unit of input after `amountIn`; 0 if the pool takes no more. */
  slope(amountIn: number): number;
  /** Output for `amountIn`, or for the part of it that the pool takes. */
  reach(amountIn: number): number;
  /** Initialised ticks that `amountIn` crosses. */
  crossed(amountIn: number): number;
}

/**
 * The maths of one kind of pool state. Families share it: Solidly's volatile pairs compute as Uniswap v2's. States do not
 * change, so results may be kept by state.
 */
export interface PoolModel<State> {
  /**
   * The exact result of selling `amountIn` base units. For Algebra Integral it is an estimate, because a plugin can charge
   * another fee than `fee()`. Undefined if the pool cannot take the whole amount, or if the swap leaves the known ticks.
   */
  swap(state: State, zeroForOne: boolean, amountIn: bigint): SwapResult<State> | undefined;
  /** Fee-free marginal price: base units of tokenOut for one base unit of tokenIn. Undefined if it exceeds a double. */
  price(state: State, zeroForOne: boolean): number | undefined;
  /** Output until the price falls by 1 %, in base units; a lower bound if ticks were not read. 0 without a price. */
  depth(state: State, zeroForOne: boolean): bigint;
  /** Undefined without liquidity. */
  curve(state: State, zeroForOne: boolean): Curve | undefined;
  /** Rough gas of one swap with its token transfers. Only ranks plans: the execution measures the gas of the chosen one. */
  legGas: number;
}

/** Keeps the result for each state and direction. */
export function perDirection<State extends object, Result>(
  compute: (state: State, zeroForOne: boolean) => Result,
): (state: State, zeroForOne: boolean) => Result {
  const [down, up] = [new WeakMap<State, { result: Result }>(), new WeakMap<State, { result: Result }>()];
  return (state, zeroForOne) => {
    const side = zeroForOne ? down : up;
    let known = side.get(state);
    if (!known) {
      known = { result: compute(state, zeroForOne) };
      side.set(state, known);
    }
    return known.result;
  };
}
