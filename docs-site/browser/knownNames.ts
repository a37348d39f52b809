/** Names of the tokens in the examples. Other tokens are shown by address. */
export const knownNames: ReadonlyMap<string, string> = new Map([
  ['0x4200000000000000000000000000000000000006', 'WETH'],
  ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', 'USDC'],
]);
