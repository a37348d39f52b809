import type { Trigger, Verdict } from './pretradeTypes.ts';

/** State of the token's own trading gate: `closed` is proven, `none` means that no gate was found. */
export type GateState = 'closed' | 'open' | 'none' | 'unknown';

/** All inputs of the verdict. None of them comes from a vendor. */
export interface VerdictFacts {
  /** Every venue was read, or the measured exit liquidity exceeds the threshold. */
  conclusive: boolean;
  /** null: discovery did not run. */
  poolsFound: number | null;
  /** Upper bound in USD of what sales of any size can draw. null: no upper bound is known. */
  exitLiquidityAtMostUsd: number | null;
  sizeUsd: number;
  gate: GateState;
}

/** Rule 3 of the spec: exit liquidity below this part of the size is drained. */
export const drainedShare = 0.05;

/** Spec, derivation rules 1 to 5: only a trap of the closed list gives `avoid`. */
export function decideVerdict(facts: VerdictFacts): { verdict: Verdict; triggers: Trigger[] } {
  const { conclusive, poolsFound, exitLiquidityAtMostUsd: most, sizeUsd, gate } = facts;
  const triggers: Trigger[] = [];
  if (conclusive && poolsFound === 0) triggers.push('NO_EXIT_VENUE');
  const pools = poolsFound ?? 0;
  if (conclusive && pools > 0 && most !== null && most < sizeUsd * drainedShare) {
    triggers.push('EXIT_LIQUIDITY_DRAINED');
  }
  if (gate === 'closed') triggers.push('TRADING_DISABLED');
  return { verdict: triggers.length > 0 ? 'avoid' : 'clear', triggers };
}
