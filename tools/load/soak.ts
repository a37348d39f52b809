/**
 * npm run soak [-- --minutes 10 --rate 60 --out bench/soak.json]
 *
 * Sends mixed calls with payments to a live service on SQLite, at a fixed rate that does not depend on its responses.
 * Reports for each window p50 and p99 from the time at which a call was due, memory, and heap after a collection.
 * Counts 503 responses separately: they mean that a deadline passed. Exits with 1 after an unexpected response, or if
 * memory grows between the first windows after the warm-up and the last ones.
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
/** Allowed growth after the warm-up in bytes: the normal variation. */
const heapGrowthBound = 4 * mebibyte;
const rssGrowthBound = 16 * mebibyte;

const environment = await openLoadEnvironment();
const service = await environment.startService({ freshnessMs: 1_000, nodeArguments: ['--expose-gc'] });
const traffic = await openTraffic(service.ready, environment.recording);
const rows: Record<string, number>[] = [];
let unexpected = 0;
try {
  console.log(
    `${perSecond} calls a second for ${minutes} minutes; load average ${loadavg().map((load) => round(load))}`,
  );
  for (let window = 0; window < windows; window += 1) {
    const answers: Answered[] = [];
    const before = await service.usage();
    await openLoop({
      url: service.ready,
      perSecond,
      seconds: windowSeconds,
      next: traffic.next,
      onAnswer: (answered) => answers.push(answered),
    });
    const after = await service.usage();
    const { heapUsed } = await service.usageCollected();
    const times = answers.map(({ took }) => took);
    const count = (kind: Answered['outcome']) => answers.filter(({ outcome }) => outcome === kind).length;
    unexpected += count('unexpected');
    const row = {
      window: window + 1,
      calls: answers.length,
      refused: count('refused'),
      wrong: count('unexpected'),
      p50: round(percentile(times, 0.5)),
      p99: round(percentile(times, 0.99)),
      cpuMicrosPerCall: Math.round((after.cpuMicros - before.cpuMicros) / answers.length),
      rssMiB: round(after.rss / mebibyte, 1),
      heapAfterCollectionMiB: round(heapUsed / mebibyte, 1),
      load: round(loadavg()[0] ?? 0),
    };
    const faults = new Set(answers.flatMap(({ outcome, what }) => (outcome === 'unexpected' ? [what] : [])));
    if (faults.size > 0) console.log(`Unexpected responses: ${[...faults].join(', ')}`);
    rows.push(row);
    console.log(JSON.stringify(row));
  }
} finally {
  traffic.close();
  await environment.close();
}

/** Minimum over several windows, which excludes temporary allocations. */
const minimum = (name: string, from: number, to?: number) =>
  Math.min(...rows.slice(from, to).map((row) => row[name] ?? 0));
const heapGrowth = (minimum('heapAfterCollectionMiB', -2) - minimum('heapAfterCollectionMiB', 1, 3)) * mebibyte;
const rssGrowth = (minimum('rssMiB', -2) - minimum('rssMiB', 1, 3)) * mebibyte;
await mkdir(dirname(values.out), { recursive: true });
await writeFile(values.out, `${JSON.stringify({ at: new Date().toISOString(), perSecond, minutes, rows }, null, 2)}\n`);
console.log(
  `${unexpected} unexpected responses; heap grew by ${round(heapGrowth / mebibyte)} MiB (bound ${heapGrowthBound / mebibyte}), RSS by ${round(rssGrowth / mebibyte)} MiB (bound ${rssGrowthBound / mebibyte})`,
);
if (unexpected > 0 || heapGrowth > heapGrowthBound || rssGrowth > rssGrowthBound) process.exitCode = 1;
