/**
 * npm run bench:scale [-- --payments 600 --out bench/scale.json]
 *
 * Sends the same paid calls to one process on SQLite, and to one, two and three replicas on one PostgreSQL. Measures
 * throughput, CPU per call, and database cost. Services, PostgreSQL and load generator share this machine's cores, so
 * CPU per call is more meaningful than calls per second.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../sandbox/index.ts';
import { runClosedLoop } from '../load/closedLoop.ts';
import { openLoadEnvironment } from '../load/openLoadEnvironment.ts';
import { readPostgresUsage } from '../load/postgresUsage.ts';
import { presign } from '../load/presign.ts';
import type { Measured } from '../load/startMeasured.ts';
import { round } from './statistics.ts';

const { values } = parseArgs({
  options: { payments: { type: 'string', default: '600' }, out: { type: 'string', default: 'bench/scale.json' } },
});
const payments = Number(values.payments);
const connections = 24;

const [environment, postgres] = await Promise.all([openLoadEnvironment(), startPostgres()]);
const { tokenIn, tokenOut } = environment.recording;
const quoteInput = { tokenIn, tokenOut, sizeIn: '1.5' };
let size = 0;

/** Bodies of the paid requests: always the same one, or a new size each time. */
const bodies = {
  cached: JSON.stringify(quoteInput),
  cold: () => JSON.stringify({ ...quoteInput, sizeIn: String(3 + ++size / 1e6) }),
};

async function loadAll(services: Measured[], kind: keyof typeof bodies, amount: number) {
  const shares = await Promise.all(
    services.map(async (service) => {
      const headers = await presign(`${service.ready}/v1/quote`, Math.ceil(amount / services.length));
      return { service, headers };
    }),
  );
  const startedAt = performance.now();
  const results = await Promise.all(
    shares.map(({ service, headers }) =>
      runClosedLoop(
        service,
        service.ready,
        { path: '/v1/quote', body: bodies[kind], paymentSignature: () => headers.pop() ?? '', status: 200 },
        { connections: Math.ceil(connections / services.length), amount: headers.length },
      ),
    ),
  );
  return { seconds: (performance.now() - startedAt) / 1000, results };
}

async function measure(where: string, services: Measured[]) {
  const rows = [];
  for (const kind of ['cached', 'cold'] as const) {
    await loadAll(services, kind, 60);
    const before = await readPostgresUsage(postgres.url);
    const { seconds, results } = await loadAll(services, kind, payments);
    const after = await readPostgresUsage(postgres.url);
    const calls = results.reduce((sum, { requests }) => sum + requests, 0);
    const mean = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + of(result) * result.requests, 0) / calls;
    const row = {
      where,
      kind,
      replicas: services.length,
      callsPerSecond: round(calls / seconds, 1),
      cpuMicrosPerCall: Math.round(mean(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest)),
      databaseCpuMicrosPerCall: Math.round((after.cpuMicros - before.cpuMicros) / calls),
      commitsPerCall: round((after.commits - before.commits) / calls, 1),
      p50: round(mean(({ p50 }) => p50)),
      p99: round(Math.max(...results.map(({ p99 }) => p99))),
      load: round(loadavg()[0] ?? 0),
    };
    console.log(JSON.stringify(row));
    rows.push(row);
  }
  return rows;
}

try {
  const rows = [];
  const single = await environment.startService({ freshnessMs: 600_000 });
  rows.push(...(await measure('SQLite', [single])));
  await single.stop();
  for (const replicas of [1, 2, 3]) {
    const variables = { DATABASE_URL: postgres.url };
    const services = await Promise.all(
      Array.from({ length: replicas }, () =>
        environment.startService({ freshnessMs: 600_000, environment: variables }),
      ),
    );
    rows.push(...(await measure('PostgreSQL', services)));
    for (const service of services) await service.stop();
  }
  await mkdir(dirname(values.out), { recursive: true });
  const setting = {
    at: new Date().toISOString(),
    node: process.version,
    machine: `${cpus().length} x ${cpus()[0]?.model}`,
  };
  await writeFile(values.out, `${JSON.stringify({ ...setting, rows }, null, 2)}\n`);
} finally {
  await environment.close();
  await postgres.close();
}
