/**
 * npm run bench:tcp [-- --delay 20 --rounds 10]
 *
 * Compares the delay proxy's model of TCP with Linux's TCP (cubic, slow start after idle) over two network namespaces and a
 * tunnel with the same round trip. Exits with 1 if a case differs by over 15 %. Needs root, iproute2, python3 and
 * /dev/net/tun; it names what is missing.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { forkDelayProxy } from './forkDelayProxy.ts';

const { values } = parseArgs({
  options: { delay: { type: 'string', default: '20' }, rounds: { type: 'string', default: '10' } },
});
const delayMs = Number(values.delay);
const rounds = Number(values.rounds);
const near = `near-${process.pid}`;
const far = `far-${process.pid}`;
const farHost = '10.77.0.2';
const farPort = '7077';
const exchange = join(import.meta.dirname, 'wan', 'exchange.py');
const tolerance = 0.15;

interface Case {
  up: number;
  down: number;
  idleSeconds: number;
}

const kilobyte = 1_000;
const cases: Case[] = [0, 3].flatMap((idleSeconds) =>
  [0.6, 14, 20, 46].flatMap((up) =>
    [5, 16, 60].map((down) => ({ up: up * kilobyte, down: down * kilobyte, idleSeconds })),
  ),
);

function findMissing(): string[] {
  const hasProgram = (name: string) => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return true;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  };
  return [
    ...(process.getuid?.() === 0 ? [] : ['root']),
    ...(hasProgram('ip') ? [] : ['ip (apt-get install iproute2)']),
    ...(hasProgram('python3') ? [] : ['python3 (apt-get install python3)']),
    ...(existsSync('/dev/net/tun') ? [] : ['/dev/net/tun']),
  ];
}

const started: ChildProcess[] = [];

/** Starts a process and waits for its first line. */
async function start(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`${command} ${args.join(' ')} ended.`);
    }),
  ]);
}

const inNamespace = (name: string, command: string, args: string[]) => ['netns', 'exec', name, command, ...args];

async function measure(command: string, args: string[]): Promise<number[]> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  return JSON.parse(text) as number[];
}

async function measureTunnel(plan: string): Promise<number[]> {
  for (const name of [near, far]) execFileSync('ip', ['netns', 'add', name]);
  const tunnel = join(import.meta.dirname, 'wan', 'wanTunnel.py');
  await start('ip', inNamespace(near, 'nice', ['-n', '-10', 'python3', '-u', tunnel, String(delayMs / 2), far]));
  await start('ip', inNamespace(far, 'python3', [exchange, 'serve', farHost, farPort]));
  return measure('ip', inNamespace(near, 'python3', [exchange, 'measure', farHost, farPort, plan]));
}

async function measureModel(plan: string): Promise<number[]> {
  await start('python3', [exchange, 'serve', '127.0.0.1', farPort]);
  const proxy = await forkDelayProxy(`http://127.0.0.1:${farPort}`);
  try {
    await proxy.setDelay(delayMs);
    const { port } = new URL(proxy.url);
    return await measure('python3', [exchange, 'measure', '127.0.0.1', port, plan]);
  } finally {
    await proxy.close();
  }
}

const missing = findMissing();
if (missing.length > 0) {
  console.error(`The calibration needs ${missing.join(', ')}.`);
  process.exit(2);
}
try {
  const plan = JSON.stringify({ cases, rounds });
  const tunnel = await measureTunnel(plan);
  const model = await measureModel(plan);
  const rows = cases.map(({ up, down, idleSeconds }, at) => {
    const [real = Number.NaN, modelled = Number.NaN] = [tunnel[at], model[at]];
    return {
      idleSeconds,
      upKb: up / kilobyte,
      downKb: down / kilobyte,
      tunnelMs: Math.round(real * 10) / 10,
      modelMs: Math.round(modelled * 10) / 10,
      differencePct: Math.round((modelled / real - 1) * 1000) / 10,
    };
  });
  console.table(rows);
  const outside = rows.filter(({ differencePct }) => !(Math.abs(differencePct) <= tolerance * 100));
  if (outside.length > 0) process.exitCode = 1;
  console.log(`${rows.length - outside.length} of ${rows.length} cases within ${tolerance * 100} %.`);
} finally {
  for (const child of started) child.kill();
  for (const name of [near, far]) {
    try {
      execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' });
    } catch {
      // It was not created.
    }
  }
}
