/**
 * npm run soak [-- --minutes 10 --rate 60 --out bench/soak.json]
 *
 * Sends mixed calls with payments at a fixed rate to a live service on SQLite, whether or not it keeps up. Reports per
 * window p50 and p99 from a call's due time, memory, and heap after a collection. Counts 503 separately: it means
 * that a deadline passed. Fails on a wrong answer, or when memory grows between the first windows after warm-up and
 * the last ones.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile, round } from '../bench/statistics.ts';
import { openLoadEnvironment } from './openLoadEnvironment.ts';
import { type Answered, openLoop } from './openLoop.ts';
import { openTraffic } from './traffic.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '60' },
    out: { type: 'string', default: 'bench/soak.json' },
  },
});
const minutes = Number(values.minutes);
const perSecond = Number(values.rate);
const windows = Math.max(4, Math.round(minutes));
const windowSeconds = (minutes * 60) / windows;
const mebibyte = 2 ** 20;
/** Allowed growth after warm-up: normal variation of the heap. */
const heapGrowthBound = 4 * mebibyte;
const rssGrowthBound = 16 * mebibyte;

const environment = await openLoadEnvironment();
const service = await environment.startService({ freshnessMs: 1_000, nodeArguments: ['--expose-gc'] });
const traffic = await openTraffic(service.ready, environment.recording);
const rows: Record<string, number>[] = [];
let wrong = 0;
try {
  console.log(`${perSecond} calls a second for ${minutes} minutes; load ${loadavg().map((load) => round(load))}`);
  for (let window = 0; window < windows; window += 1) {
    const answers: Answered[] = [];
    const before = await service.usage();
    await openLoop({
      url: service.ready,
      perSecond,
      seconds: windowSeconds,
      next: traffic.next,
      heard: (answered) => answers.push(answered),
    });
    const after = await service.usage();
    const { heapUsed } = await service.usageCollected();
    const times = answers.map(({ took }) => took);
    const count = (kind: Answered['came']) => answers.filter(({ came }) => came === kind).length;
    wrong += count('wrong');
    const row = {
      window: window + 1,
      calls: answers.length,
      refused: count('refused'),
      wrong: count('wrong'),
      p50: round(percentile(times, 0.5)),
      p99: round(percentile(times, 0.99)),
      cpuMicrosPerCall: Math.round((after.cpuMicros - before.cpuMicros) / answers.length),
      rssMiB: round(after.rss / mebibyte, 1),
      heapAfterCollectionMiB: round(heapUsed / mebibyte, 1),
      load: round(loadavg()[0] ?? 0),
    };
    const faults = new Set(answers.flatMap(({ came, what }) => (came === 'wrong' ? [what] : [])));
    if (faults.size > 0) console.log(`wrong: ${[...faults].join(', ')}`);
    rows.push(row);
    console.log(JSON.stringify(row));
  }
} finally {
  traffic.close();
  await environment.close();
}

/** Minimum of a few windows, which excludes temporary allocations. */
const least = (name: string, from: number, to?: number) =>
  Math.min(...rows.slice(from, to).map((row) => row[name] ?? 0));
const heapGrowth = (least('heapAfterCollectionMiB', -2) - least('heapAfterCollectionMiB', 1, 3)) * mebibyte;
const rssGrowth = (least('rssMiB', -2) - least('rssMiB', 1, 3)) * mebibyte;
await mkdir(dirname(values.out), { recursive: true });
await writeFile(values.out, `${JSON.stringify({ at: new Date().toISOString(), perSecond, minutes, rows }, null, 2)}\n`);
console.log(
  `${wrong} wrong answers; heap grew by ${round(heapGrowth / mebibyte)} MiB (bound ${heapGrowthBound / mebibyte}), RSS by ${round(rssGrowth / mebibyte)} MiB (bound ${rssGrowthBound / mebibyte})`,
);
if (wrong > 0 || heapGrowth > heapGrowthBound || rssGrowth > rssGrowthBound) process.exitCode = 1;
