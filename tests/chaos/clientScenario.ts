import type { Random } from './random.ts';

/** One client interaction from start to end. */
export type ClientScenario = (random: Random) => Promise<void>;

/** Totals that the typed client reported. */
export interface TypedCalls {
  answered: number;
  pending: number;
  refused: number;
  spentUsd: number;
}
