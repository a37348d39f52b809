/**
 * The kind of a candidate pool selects the look-up call and the swap interface. `npm run contracts` writes the numbers to
 * Solidity, as `KIND_V2` and so on. A stored pool index contains them: a service whose kinds have other numbers reads the
 * factories' logs again. The singletons stay last, because lenses compare with `KIND_V4`: a new kind whose pools are
 * contracts takes the number of `v4`, which moves up with `v4Native`.
 */
export const kinds = {
  /** Pools of Balancer's vault, which only logs find. */
  weighted: 0,
  /** getPair(a,b); x·y=k with the row's fee */
  v2: 1,
  /** getPool(a,b,uint24 fee); swap with callback */
  v3: 2,
  /** getPool(a,b,int24 spacing); swap with callback */
  slipstream: 3,
  /** poolByPair(a,b); swap with callback */
  algebra: 4,
  /** getPool(a,b,bool); the pool computes its output */
  solidly: 5,
  /** getPair(a,b,bool); the pool computes its output */
  solidlyPair: 6,
  /** getPair(a,b); the pool computes its output (Camelot v2) */
  selfPricedPair: 7,
  /** Singleton, both currencies are ERC-20. In Solidity too, all kinds from here on are singletons. */
  v4: 8,
  /** Singleton; legs contain the wrapped native token instead of currency 0x0. */
  v4Native: 9,
} as const;

/** One contract holds the tokens of all pools. */
export const isSingleton = (kind: number): boolean => kind >= kinds.v4;

/** Liquidity lies in price ranges. */
export const isConcentrated = (kind: number): boolean =>
  isSingleton(kind) || kind === kinds.v3 || kind === kinds.slipstream || kind === kinds.algebra;

/** A pair with reserves. It is paid before the swap, so it accepts a taxed payment and counts tokens of others. */
export const isPair = (kind: number): boolean => !isConcentrated(kind) && kind !== kinds.weighted;

export const noHooks = '0x0000000000000000000000000000000000000000';
/** Uniswap v4's currency of the native coin. */
export const nativeCurrency = '0x0000000000000000000000000000000000000000';
