import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { actsAround } from './actsAround.ts';
import { deaths, outages } from './actsInside.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import { openSpells, type Tally } from './spells.ts';
import type { Acts, Stage } from './stage.ts';

/** What was done to the house in a run. */
export interface Damage {
  /** Acts, each some seconds long; two of them around the house, a death and an outage go on side by side. */
  acts: Tally;
  /** Single requests that met with a fault. */
  thrown: Tally;
  /** Transactions that a reorganisation has taken off the chain. */
  reorged: Set<Hex>;
}

/** Hurts one thing after the other until `until`, by the dice. Everything is up and honest again when it resolves. */
export async function disturb(world: ChaosWorld, dice: Dice, until: number): Promise<Damage> {
  const damage: Damage = { acts: {}, thrown: {}, reorged: new Set() };
  const spells = openSpells(world, damage.thrown);
  const passing = (ms: number) => sleep(Math.max(0, Math.min(ms, until - Date.now())));
  const stage: Stage = { world, dice, spells, passing };

  async function goOn(acts: Acts, longestPauseMs: number): Promise<void> {
    // Each in turn before one comes again: rare ones come in short runs too.
    let left: string[] = [];
    while (Date.now() < until) {
      if (left.length === 0) left = Object.keys(acts);
      const name = dice.pick(left);
      left = left.filter((other) => other !== name);
      await acts[name]?.();
      damage.acts[name] = (damage.acts[name] ?? 0) + 1;
      await passing(dice.between(200, longestPauseMs));
    }
  }
  const around = actsAround(stage, damage.reorged);
  await Promise.all([
    goOn(around, 1_500),
    goOn(around, 1_500),
    goOn(deaths(stage), 4_000),
    goOn(outages(stage), 15_000),
  ]);
  spells.lift();
  await Promise.all(world.seats.map((seat) => seat.start()));
  return damage;
}
