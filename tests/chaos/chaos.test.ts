import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runChaos } from './runChaos.ts';

/** `npm run chaos` sets them; the suite runs a short one. */
const seed = Number(process.env.CHAOS_SEED ?? 7);
const seconds = Number(process.env.CHAOS_SECONDS ?? 12);

test(
  `behavior: ${seconds} s of guests of all kinds while everything breaks (seed ${seed}): the books balance, to the unit and to the wei`,
  async () => {
    const report = await runChaos({ seed, seconds });
    console.info(JSON.stringify(report, null, 1));
    if (process.env.CHAOS_OUT) await writeFile(process.env.CHAOS_OUT, JSON.stringify(report, null, 1));
    expect(report.faults).toEqual([]);
    expect(report.surprises).toEqual([]);
    // It was a run: things were sold while things were broken.
    expect(report.figures.answered).toBeGreaterThan(seconds / 6);
    expect(Object.keys(report.disturbances).length).toBeGreaterThan(2);
  },
  (seconds + 600) * 1_000,
);
