import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import type { Spells } from './spells.ts';

/** What can be done to the house, by name; each takes some seconds and leaves all as it was. */
export type Acts = Record<string, () => Promise<void>>;

/** What every act is given. */
export interface Stage {
  world: ChaosWorld;
  dice: Dice;
  spells: Spells;
  /** Waits so long, or to the end of the run. */
  passing(ms: number): Promise<void>;
}
