/** Chance that can be had again: the same seed makes the same plan. */
export interface Dice {
  /** From 0 to below 1. */
  roll(): number;
  chance(probability: number): boolean;
  between(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
}

/** mulberry32, a small public-domain generator by Tommy Ettinger: even enough to choose who is hurt next. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  function roll(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    roll,
    chance: (probability) => roll() < probability,
    between: (least, most) => least + Math.floor(roll() * (most - least + 1)),
    pick(from) {
      const picked = from[Math.floor(roll() * from.length)];
      if (picked === undefined) throw new RangeError('Nothing to pick from.');
      return picked;
    },
  };
}
