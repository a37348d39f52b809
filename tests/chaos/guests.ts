import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';
import { planErrands } from './errands.ts';
import { inviteHonest } from './honestGuests.ts';
import { inviteNamers } from './namingGuests.ts';
import type { Purse, Purses } from './purses.ts';
import { inviteStrange } from './strangeGuests.ts';
import { inviteElsewhere } from './surfaceGuests.ts';

/** Somebody who comes once, does one thing, and leaves. */
export type Guest = (dice: Dice) => Promise<void>;

/** What the typed client was told, which keeps its own count. */
export interface TypedCalls {
  answered: number;
  pending: number;
  refused: number;
  spentUsd: number;
}

/** All kinds of clients, honest and other. */
export function inviteGuests(world: ChaosWorld, purses: Purses, regulars: readonly Purse[], fresh: Purse[]) {
  const errands = planErrands(world, purses, regulars, fresh);
  const typed: TypedCalls = { answered: 0, pending: 0, refused: 0, spentUsd: 0 };
  const kinds: Record<string, Guest> = {
    ...inviteHonest(world, purses, errands, typed),
    ...inviteElsewhere(world, purses, errands),
    ...inviteNamers(world, purses, errands),
    ...inviteStrange(world, purses, errands),
  };
  return { kinds, typed };
}
