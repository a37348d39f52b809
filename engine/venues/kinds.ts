/** Numbers of the lens (contracts/lens/LensTypes.sol). */
export const kinds = {
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
