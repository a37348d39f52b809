/**
 * Numbers of the lens (contracts/lens/LensTypes.sol). A stored pool index contains them: other numbers would invalidate
 * it.
 */
export const kinds = {
  weighted: 0,
  v2: 1,
  v3: 2,
  slipstream: 3,
  algebra: 4,
  solidly: 5,
  solidlyPair: 6,
  selfPricedPair: 7,
  v4: 8,
  v4Native: 9,
} as const;

/** Liquidity lies in price ranges. */
export const isConcentrated = (kind: number): boolean =>
  kind >= kinds.v4 || kind === kinds.v3 || kind === kinds.slipstream || kind === kinds.algebra;

export const noHooks = '0x0000000000000000000000000000000000000000';
/** Uniswap v4's currency of the native coin. */
export const nativeCurrency = '0x0000000000000000000000000000000000000000';
