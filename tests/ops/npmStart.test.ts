import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

// Users and supervisors run `npm start`, so npm receives their signals.

const root = join(import.meta.dirname, '..', '..');
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'warn' };

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface ListedProcess {
  pid: number;
  parent: number;
  /** Ended, but not yet reaped by its parent. */
  defunct: boolean;
}

function listProcesses(): ListedProcess[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), defunct: state.startsWith('Z') };
  });
}

/** A process and all its descendants. */
function processTree(pid: number): number[] {
  const all = listProcesses();
  const tree = [pid];
  for (const one of tree) tree.push(...all.filter(({ parent }) => parent === one).map((child) => child.pid));
  return tree;
}

function stillRunning(pids: readonly number[]): number[] {
  const running = new Set(listProcesses().flatMap(({ pid, defunct }) => (defunct ? [] : [pid])));
  return pids.filter((pid) => running.has(pid));
}

/** Starts a command and waits for the line with the service's URL. */
async function startIn(cwd: string, command: string, args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let seen = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
  }
  cleanups.push(() => {
    for (const pid of stillRunning(child.pid === undefined ? [] : processTree(child.pid))) process.kill(pid, 'SIGKILL');
  });
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The command ended with ${code}: ${seen}`)));
  });
  ended.catch(() => undefined);
  await Promise.race([expect.poll(() => seen).toMatch(/answers on http:\/\/\S+/), ended]);
  return { child, url: /answers on (http:\S+)/.exec(seen)?.[1] ?? '' };
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s to npm start ends npm, the service and its chains', async (signal) => {
  const { child } = await startIn(root, 'npm', ['start']);
  const tree = processTree(child.pid ?? 0);
  cleanups.push(() => {
    for (const pid of stillRunning(tree)) process.kill(pid, 'SIGKILL');
  });
  // npm, the service, the chains' supervisor and three chains.
  expect(tree.length).toBeGreaterThanOrEqual(6);
  child.kill(signal);
  await expect.poll(() => stillRunning(tree)).toEqual([]);
});

test('a checkout that was moved after its build starts and serves its files', async () => {
  const work = mkdtempSync(join(tmpdir(), 'truefill-moved-'));
  cleanups.push(() => rmSync(work, { recursive: true, force: true }));
  const [first, second] = [join(work, 'first'), join(work, 'second')];
  const needed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((name) => name !== '' && !name.startsWith('tests/'));
  for (const name of needed) cpSync(join(root, name), join(first, name));
  cpSync(join(root, '.cache', 'sandbox'), join(first, '.cache', 'sandbox'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(first, 'node_modules'));
  execFileSync(process.execPath, ['tools/start/buildService.mjs'], { cwd: first });
  renameSync(first, second);

  const { child, url } = await startIn(second, process.execPath, ['tools/start/start.mjs']);
  for (const path of ['/health', '/openapi.json', '/assets/site.css', '/assets/try.js', '/sandbox'])
    expect((await fetch(url + path)).status, path).toBe(200);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
});
