import type { Hex } from 'viem';

/** The published factory's code is not the one that the change was written for. */
class UnexpectedCodeError extends Error {
  override readonly name = 'UnexpectedCodeError';
}

/**
 * PancakeSwap v2 is Uniswap v2 with a fee of 25 instead of 30 basis points, and no package carries its code. The pair
 * checks `(balance · 1000 − in · 3)` against `reserves · 1000²`; 25 basis points are 5 of 2000, so four constants in
 * Uniswap's code change and the arithmetic becomes Pancake's. The pairs' addresses are not the canonical ones.
 */
export function takePancakeFee(factoryCode: Hex): Hex {
  const swaps: [string, string, number][] = [
    ['600363ffffffff', '600563ffffffff', 2],
    ['6103e863ffffffff', '6107d063ffffffff', 1],
    ['620f4240', '623d0900', 1],
  ];
  return swaps.reduce<string>((code, [from, to, times]) => {
    const found = code.split(from).length - 1;
    if (found !== times) throw new UnexpectedCodeError(`Expected ${from} ${times} times in the pair, found ${found}.`);
    return code.replaceAll(from, to);
  }, factoryCode) as Hex;
}
