/** Seeded random numbers: the same seed gives the same sequence. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  chance(probability: number): boolean;
  /** An integer between `min` and `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
}

/** mulberry32, a small public-domain generator by Tommy Ettinger. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  return {
    next,
    chance: (probability) => next() < probability,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(from) {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new RangeError('Nothing to pick from.');
      return picked;
    },
  };
}
