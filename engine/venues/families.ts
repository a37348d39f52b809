import { type AnyCase, lowerAddresses } from '../lowerAddress.ts';
import { algebra } from './algebra/family.ts';
import { balancerV2 } from './balancerV2/family.ts';
import type { CandidatePool, FamilyName } from './candidatePool.ts';
import { solidly } from './solidly/family.ts';
import { uniswapV2 } from './uniswapV2/family.ts';
import { uniswapV3 } from './uniswapV3/family.ts';
import { uniswapV4 } from './uniswapV4/family.ts';
import type { CreationEvent, VenueFamily } from './venueFamily.ts';
import type { BandReading, Direction, Mid, V4PoolShape, VenueRow } from './venueTypes.ts';

const registry = {
  'uniswap-v2': uniswapV2,
  'uniswap-v3': uniswapV3,
  'uniswap-v4': uniswapV4,
  solidly,
  algebra,
  'balancer-v2': balancerV2,
} satisfies { [Name in FamilyName]: VenueFamily<Extract<VenueRow, { family: Name }>> };

/** All families. `registry` is typed per family; this wider type allows lookup by a row's family name. */
export const families: Readonly<Record<FamilyName, VenueFamily>> = registry;

export const familyNames = Object.keys(registry) as FamilyName[];

/** Names of pool creation events. */
export type EventName = { [Name in FamilyName]: keyof (typeof registry)[Name]['events'] }[FamilyName];

/** All events. A stored pool index is valid only for this order. */
export const creationEvents: Readonly<Record<EventName, CreationEvent>> = {
  ...uniswapV2.events,
  ...uniswapV3.events,
  ...solidly.events,
  ...algebra.events,
  ...uniswapV4.events,
};

export const eventNames = Object.keys(creationEvents) as EventName[];

/** The family whose candidate pools have this kind. @throws {RangeError} */
export function familyOfKind(kind: number): FamilyName {
  const name = familyNames.find((each) => families[each].kinds.includes(kind));
  if (!name) throw new RangeError(`No family has candidate pools of kind ${kind}.`);
  return name;
}

/**
 * All candidate pools of a pair, in the order of the lens's look-ups. `extraShapes` are added to every v4 row. Each occurs once:
 * a pool that is read twice would confirm its own price, and a split would sell to it twice.
 */
export function toCandidatePools(
  venues: readonly AnyCase<VenueRow>[],
  extraShapes: readonly AnyCase<V4PoolShape>[] = [],
): CandidatePool[] {
  const shapes = lowerAddresses<readonly V4PoolShape[]>(extraShapes);
  const candidatePools = lowerAddresses<readonly VenueRow[]>(venues).flatMap((row) =>
    families[row.family].toCandidatePools(row, shapes),
  );
  return [...new Map(candidatePools.map((candidatePool) => [keyOf(candidatePool), candidatePool])).values()];
}

function keyOf({ kind, factory, fee, tickSpacing, hooks }: CandidatePool): string {
  return [kind, factory, fee, tickSpacing, hooks].join();
}

/** The fee-free mid of a pool; undefined if it has no reliable one or if it exceeds a double. */
export function bandMidOf(candidatePool: CandidatePool, reading: BandReading, direction: Direction): Mid | undefined {
  const found = families[candidatePool.family].bandMid(reading, direction, candidatePool);
  // A token may report 255 decimals, for which the curve of a stable pair exceeds a double.
  return found && Number.isFinite(found.mid) && found.mid > 0 && Number.isFinite(found.depth) ? found : undefined;
}
