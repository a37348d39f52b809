import type { PoolSeed } from '../chainPlan.ts';

const q96 = 2n ** 96n;
const maxTick = 887_272;

function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** sqrt(amount1 / amount0) · 2^96, the start price of a concentrated pool. */
export function startPrice({ amount0, amount1 }: Pick<PoolSeed, 'amount0' | 'amount1'>): bigint {
  return squareRoot((amount1 * q96 * q96) / amount0);
}

/** Full-range liquidity of the two amounts: sqrt(amount0 · amount1). */
export function fullRangeLiquidity({ amount0, amount1 }: Pick<PoolSeed, 'amount0' | 'amount1'>): bigint {
  return squareRoot(amount0 * amount1);
}

interface Position {
  lower: number;
  upper: number;
  liquidity: bigint;
}

/** Positions to mint in a concentrated pool: the base position and its steps. */
export function positionsOf(
  seed: Pick<PoolSeed, 'amount0' | 'amount1' | 'usd' | 'range' | 'steps'>,
  spacing: number,
): Position[] {
  const liquidity = fullRangeLiquidity(seed);
  const ranges = [{ usd: seed.usd, range: seed.range }, ...(seed.steps ?? [])];
  return ranges.map(({ usd, range }) => {
    const [lower, upper] = seedTicks({ ...seed, range }, spacing);
    return { lower, upper, liquidity: (liquidity * BigInt(usd)) / BigInt(seed.usd) };
  });
}

/** Tick bounds of a pool's liquidity, widened to the spacing. */
export function seedTicks(
  seed: Pick<PoolSeed, 'amount0' | 'amount1'> & { range?: PoolSeed['range'] | undefined },
  spacing: number,
): [number, number] {
  if (!seed.range) {
    const edge = Math.floor(maxTick / spacing) * spacing;
    return [-edge, edge];
  }
  const ratio = Number(seed.amount1) / Number(seed.amount0);
  const [low, high] = seed.range.map((factor) => Math.log(ratio * factor) / Math.log(1.0001)) as [number, number];
  return [Math.floor(low / spacing) * spacing, Math.ceil(high / spacing) * spacing];
}
