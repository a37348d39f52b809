import type { Signal } from '../pretradeTypes.ts';
import type { LiquidityFinding } from './liquidityTypes.ts';

/** Larger ratios are reported as "more than 1,000 times"; the exact number does not matter for a trade. */
const largestRatio = 1_000;

/** F-LIQ: the ratio of exit liquidity to the size. High if simulated trades are refused, whatever the pools hold. */
export function liquiditySignal(
  { section, complete, exits }: LiquidityFinding,
  sizeUsd: number,
  refused: 'sales' | 'purchases' | null,
): Signal {
  const base = { unit: 'usd', cachedAgeSec: null } as const;
  const { exitLiquidityUsd } = section;
  const enough = exitLiquidityUsd !== null && exitLiquidityUsd >= sizeUsd;
  if (exitLiquidityUsd === null || (!complete && !enough)) {
    const reason = exits.some(({ exit, drawnUsd }) => drawnUsd === undefined && exit.drawn > 0n)
      ? 'Some pools pay in assets without a known USD price. The others pay less than the size.'
      : 'Not every venue could be measured. The measured venues pay less than the size.';
    return { ...base, severity: 'unknown', value: null, reason };
  }
  const ratio = exitLiquidityUsd / sizeUsd;
  const reason = `Exit liquidity is ${describeRatio(ratio)} the size${complete ? '' : ' (lower bound)'}.`;
  if (refused) {
    const result = refused === 'sales' ? 'an ordinary wallet cannot draw it' : 'no sale could be tested';
    const blocked = `${reason} Simulated ${refused} are refused, so ${result}.`;
    return { ...base, severity: 'high', value: exitLiquidityUsd, reason: blocked };
  }
  const severity = ratio < 1 ? 'high' : ratio < 5 ? 'medium' : ratio < 20 ? 'low' : 'none';
  return { ...base, severity, value: exitLiquidityUsd, reason };
}

function describeRatio(ratio: number): string {
  if (ratio > largestRatio) return 'more than 1,000 times';
  return ratio < 0.01 && ratio > 0 ? 'less than 0.01 times' : `${ratio.toFixed(2)} times`;
}
