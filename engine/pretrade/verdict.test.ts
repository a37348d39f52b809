import { expect, test } from 'vitest';
import { decideVerdict, type GateState } from './verdict.ts';

const table: {
  conclusive: boolean;
  pools: number | null;
  exitUsd: number | null;
  gate: GateState;
  triggers: string[];
}[] = [];
for (const conclusive of [true, false])
  for (const pools of [null, 0, 1, 7])
    for (const exitUsd of [null, 0, 49.99, 50, 1e6])
      for (const gate of ['closed', 'open', 'none', 'unknown'] as const) {
        const triggers: string[] = [];
        if (conclusive && pools === 0) triggers.push('NO_EXIT_VENUE');
        if (conclusive && (pools === 1 || pools === 7) && (exitUsd === 0 || exitUsd === 49.99)) {
          triggers.push('EXIT_LIQUIDITY_DRAINED');
        }
        if (gate === 'closed') triggers.push('TRADING_DISABLED');
        table.push({ conclusive, pools, exitUsd, gate, triggers });
      }

test('default: avoid with a trigger, otherwise clear, for all 160 combinations of the inputs at 1,000 USD', () => {
  expect(table).toHaveLength(160);
  for (const { conclusive, pools, exitUsd, gate, triggers } of table) {
    const decided = decideVerdict({
      conclusive,
      poolsFound: pools,
      exitLiquidityAtMostUsd: exitUsd,
      sizeUsd: 1000,
      gate,
    });
    expect({ conclusive, pools, exitUsd, gate, ...decided }).toEqual({
      conclusive,
      pools,
      exitUsd,
      gate,
      triggers,
      verdict: triggers.length > 0 ? 'avoid' : 'clear',
    });
  }
});

test('behavior: no exit trigger if the reading is inconclusive, whatever the number of pools', () => {
  for (const poolsFound of [null, 0, 3]) {
    const { triggers } = decideVerdict({
      conclusive: false,
      poolsFound,
      exitLiquidityAtMostUsd: 0,
      sizeUsd: 1,
      gate: 'none',
    });
    expect(triggers).toEqual([]);
  }
});

test('behavior: exit liquidity of 600 USD is drained for a size above 12,000 USD', () => {
  const facts = { conclusive: true, poolsFound: 1, exitLiquidityAtMostUsd: 600, gate: 'none' } as const;
  expect(decideVerdict({ ...facts, sizeUsd: 12_000 }).verdict).toBe('clear');
  expect(decideVerdict({ ...facts, sizeUsd: 12_001 }).triggers).toEqual(['EXIT_LIQUIDITY_DRAINED']);
});
