import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Resource use of a PostgreSQL server since its start: CPU time of all its processes, and transactions committed. */
export interface PostgresUsage {
  cpuMicros: number;
  commits: number;
}

/** Unit of CPU times in /proc: 1/100 of a second. */
const tickMicros = 10_000;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU time of the process and of its ended children. */
  ticks: number;
}

async function readTimes(pid: string): Promise<ProcessTimes | undefined> {
  const stat = await readFile(join('/proc', pid, 'stat'), 'utf8').catch(() => '');
  // The second field is a name in parentheses and may contain any character, so start after the last one.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0);
  return stat === '' ? undefined : { pid: Number(pid), parent, ticks };
}

/** Reads the resource use of a local server. `cpuMicros` is 0 without /proc. */
export async function readPostgresUsage(url: string): Promise<PostgresUsage> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'SELECT current_setting($1) AS folder, sum(xact_commit)::int AS commits FROM pg_stat_database',
    ['data_directory'],
  );
  await client.end();
  const { folder, commits } = rows[0] as { folder: string; commits: number };
  const pidFile = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const postmaster = Number(pidFile.split('\n')[0]);
  const pids = (await readdir('/proc').catch(() => [] as string[])).filter((name) => /^\d+$/.test(name));
  const times = (await Promise.all(pids.map(readTimes))).flatMap((found) => found ?? []);
  const own = times.filter(({ pid, parent }) => pid === postmaster || parent === postmaster);
  return { cpuMicros: own.reduce((sum, { ticks }) => sum + ticks, 0) * tickMicros, commits };
}
