import type { Names } from './tokens.ts';

/** The tokens of the examples. Other tokens are shown by address. */
export const knownNames: Names = new Map([
  ['base:0x4200000000000000000000000000000000000006', { symbol: 'WETH', decimals: 18 }],
  ['base:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', { symbol: 'USDC', decimals: 6 }],
]);
