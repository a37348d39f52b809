/**
 * npm run bench:capacity [-- --write]
 *
 * Runs bench:http, bench:scale and bench:pretrade one after another, about 15 minutes on a quiet machine, and prints the
 * figures of `/guides/capacity`. --write replaces those in `docs-site/capacityFigures.ts`. Do not write figures of a
 * machine with other work: the load average before each run is printed first.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

function runBench<Result>(name: string, ...options: string[]): Result {
  console.log(`${name}: load average ${loadavg()[0]?.toFixed(2)}`);
  const { status } = spawnSync('npm', ['run', '-s', `bench:${name}`, '--', ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`bench:${name} ended with ${status}. Nothing was written.`);
  return JSON.parse(readFileSync(join(root, 'bench', `${name}.json`), 'utf8')) as Result;
}

const load = loadavg()[0] ?? 0;
const http = runBench<{ idleRss: number; rows: { what: string; cpuMicrosPerRequest: number; rss: number }[] }>('http');
const scale = runBench<{
  rows: {
    where: string;
    kind: string;
    replicas: number;
    cpuMicrosPerCall: number;
    databaseCpuMicrosPerCall: number;
    commitsPerCall: number;
  }[];
}>('scale');
const pretrade = runBench<{ rows: { name: string; cpuMsP50: number }[] }>('pretrade', '--delays', '0');

/** Rows of bench:http and their names on the page. */
const httpRows = [
  ['402', '402 for an unpaid request'],
  ['400', '400'],
  ['health', 'health'],
  ['openapi', 'openapi.json'],
  ['replay', 'a replay of a paid answer'],
  ['paid cached', 'a paid quote, cached'],
  ['paid uncached', 'a paid quote, not cached'],
] as const;
/** Rows of bench:pretrade, which measures the engine without HTTP and payment. */
const checkRows = [
  ['repeat', 'a repeated check, the engine alone'],
  ['first check, new code', 'the first check of a token, the engine alone'],
] as const;

const find = <Row>(rows: readonly Row[], isIt: (row: Row) => boolean, name: string): Row => {
  const row = rows.find(isIt);
  if (!row) throw new Error(`No row "${name}" in the results.`);
  return row;
};
const httpRow = (name: string) => find(http.rows, ({ what }) => what === name, name);
const bareCpuMicros = httpRow('bare').cpuMicrosPerRequest;
const significant = (value: number) => Number(value.toPrecision(2));
const toCall = (what: string, cpuMicros: number) => ({
  what,
  cpuMicros: Math.round(cpuMicros),
  ratio: significant(bareCpuMicros / cpuMicros),
});
const toMiB = (bytes: number) => Math.round(bytes / 2 ** 20);

const figures = {
  date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(),
  machine: `${cpus().length} cores (${cpus()[0]?.model}) with Node ${process.versions.node}`,
  load: significant(load),
  idleMiB: toMiB(http.idleRss),
  loadedMiB: toMiB(Math.max(...http.rows.filter(({ what }) => what.startsWith('paid')).map(({ rss }) => rss))),
  bareCpuMicros: Math.round(bareCpuMicros),
  calls: [
    ...httpRows.map(([name, what]) => toCall(what, httpRow(name).cpuMicrosPerRequest)),
    ...checkRows.map(([name, what]) =>
      toCall(what, find(pretrade.rows, (row) => row.name === name, name).cpuMsP50 * 1000),
    ),
  ],
  replicas: scale.rows
    .filter(({ kind }) => kind === 'cached')
    .map((row) => ({
      where: row.where,
      replicas: row.replicas,
      cpuMicros: row.cpuMicrosPerCall,
      databaseCpuMicros: row.where === 'SQLite' ? 0 : row.databaseCpuMicrosPerCall,
      commits: row.where === 'SQLite' ? 'in groups' : row.commitsPerCall,
    })),
};
console.log(JSON.stringify(figures, null, 2));
if (values.write) {
  const file = join(root, 'docs-site', 'capacityFigures.ts');
  const [types = ''] = readFileSync(file, 'utf8').split('export const capacityFigures');
  writeFileSync(file, `${types}export const capacityFigures: CapacityFigures = ${JSON.stringify(figures)};\n`);
  spawnSync('npx', ['biome', 'check', '--write', file], { cwd: root, stdio: 'inherit' });
  console.log('Written. Remove from docs-site/guides/capacity.md the paragraph that calls the figures older.');
}
