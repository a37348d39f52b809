import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';

/** Resource use of a PostgreSQL server since its start. CPU in microseconds over all its processes. */
export interface PostgresUsage {
  cpuMicros: number;
  commits: number;
}

/** Linux counts CPU time in hundredths of a second. */
const tickMicros = 10_000;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU time of the process and of its ended children. */
  ticks: number;
}

async function readTimes(pid: string): Promise<ProcessTimes | undefined> {
  const stat = await readFile(join('/proc', pid, 'stat'), 'utf8').catch(() => '');
  // The second field is a name in brackets and may contain any character.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, part) => sum + part, 0);
  return stat === '' ? undefined : { pid: Number(pid), parent, ticks };
}

/** Reads a local server's use from the kernel; CPU is 0 without /proc. */
export async function readPostgresUsage(url: string): Promise<PostgresUsage> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'SELECT current_setting($1) AS folder, sum(xact_commit)::int AS commits FROM pg_stat_database',
    ['data_directory'],
  );
  await client.end();
  const { folder, commits } = rows[0] as { folder: string; commits: number };
  const note = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const postmaster = Number(note.split('\n')[0]);
  const pids = (await readdir('/proc').catch(() => [] as string[])).filter((name) => /^\d+$/.test(name));
  const times = (await Promise.all(pids.map(readTimes))).flatMap((found) => found ?? []);
  const own = times.filter(({ pid, parent }) => pid === postmaster || parent === postmaster);
  return { cpuMicros: own.reduce((sum, { ticks }) => sum + ticks, 0) * tickMicros, commits };
}
