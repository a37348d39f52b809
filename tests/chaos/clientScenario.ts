import type { Random } from './random.ts';

/** A client that sends its requests, retries included, and then ends. */
export type ClientScenario = (random: Random) => Promise<void>;

/** Results of the typed client, summed over a run. */
export interface TypedCalls {
  answered: number;
  pending: number;
  refused: number;
  spentUsd: number;
}
