import { type Hex, keccak256 } from 'viem';
import { published } from '../published/published.ts';
import type { PublishedContract } from '../published/readPublished.ts';

/** The published code does not contain the constants that a patch replaces. */
class UnexpectedCodeError extends Error {
  override readonly name = 'UnexpectedCodeError';
}

/**
 * PancakeSwap v2 is Uniswap v2 with a fee of 25 instead of 30 basis points, but no package contains its code. Uniswap's pair
 * compares `(balance · 1000 − in · 3)` with `reserves · 1000²`. 25 basis points are 5 of 2000, so this function replaces
 * those constants. The pairs do not have their mainnet addresses.
 */
export function takePancakeFee(factoryCode: Hex): Hex {
  const swaps: [string, string, number][] = [
    ['600363ffffffff', '600563ffffffff', 2],
    ['6103e863ffffffff', '6107d063ffffffff', 1],
    ['620f4240', '623d0900', 1],
  ];
  return replaceIn(factoryCode, swaps);
}

/** Uniswap's router with PancakeSwap's fee, 9975 of 10000 instead of 997 of 1000, for patched pairs. */
export function pancakeV2Router(): PublishedContract {
  const router = published.uniswapV2Router();
  const pair = published.uniswapV2Pair().bytecode;
  const bytecode = replaceIn(router.bytecode, [
    ['6103e5', '6126f7', 2],
    ['6103e8', '612710', 2],
    [keccak256(pair).slice(2), keccak256(takePancakeFee(pair)).slice(2), 1],
  ]);
  return { ...router, bytecode };
}

function replaceIn(code: Hex, swaps: readonly (readonly [from: string, to: string, times: number])[]): Hex {
  return swaps.reduce<string>((changed, [from, to, times]) => {
    const found = changed.split(from).length - 1;
    if (found !== times) throw new UnexpectedCodeError(`Expected ${from} ${times} times, found ${found}.`);
    return changed.replaceAll(from, to);
  }, code) as Hex;
}
