import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runChaos } from './runChaos.ts';

/** `npm run chaos` sets these variables; `npm test` runs 12 seconds on PostgreSQL. */
const seed = Number(process.env.CHAOS_SEED ?? 7);
const database = process.env.CHAOS_DATABASE === 'sqlite' ? 'sqlite' : 'postgres';
const seconds = Number(process.env.CHAOS_SECONDS ?? 12);

test(
  `behavior: after ${seconds} s of clients and faults (seed ${seed}, ${database}) clients, ledger and chains agree exactly`,
  async () => {
    const report = await runChaos({ seed, seconds, database });
    console.info(JSON.stringify(report, null, 1));
    if (process.env.CHAOS_OUT) await writeFile(process.env.CHAOS_OUT, JSON.stringify(report, null, 1));
    expect(report.faults).toEqual([]);
    expect(report.unexpectedErrors).toEqual([]);
    // A run without answers or faults would prove nothing.
    expect(report.figures.answered).toBeGreaterThan(seconds / 6);
    expect(Object.keys(report.faultScenarios).length).toBeGreaterThan(2);
  },
  (seconds + 600) * 1_000,
);
