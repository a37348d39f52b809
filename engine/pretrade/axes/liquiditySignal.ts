import type { Signal } from '../pretradeTypes.ts';
import type { LiquidityFinding } from './liquidity.ts';

/** F-LIQ: the exit pot against the size. */
export function liquiditySignal({ section, coverage, exits }: LiquidityFinding, sizeUsd: number): Signal {
  const base = { unit: 'usd', cachedAgeSec: null };
  const { exitLiquidityUsd } = section;
  const enough = exitLiquidityUsd !== null && exitLiquidityUsd >= sizeUsd;
  if (exitLiquidityUsd === null || (!coverage.conclusive && !enough)) {
    const reason = exits.some(({ exit, potUsd }) => potUsd === undefined && exit.pot > 0n)
      ? 'Pools pay in assets without a known USD price, and what the others hold is less than the size.'
      : 'Not every place that may hold an exit could be measured, and those that were hold less than the size.';
    return { ...base, severity: 'unknown', value: null, reason };
  }
  const ratio = exitLiquidityUsd / sizeUsd;
  const severity = ratio < 1 ? 'high' : ratio < 5 ? 'medium' : ratio < 20 ? 'low' : 'none';
  return { ...base, severity, value: exitLiquidityUsd, reason: `The exit pot is ${ratio.toFixed(2)} times the size.` };
}
