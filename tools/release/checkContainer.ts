import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../sandbox/index.ts';
import { type Played, playDockerfile } from './playDockerfile.ts';
import { readDockerfile } from './readDockerfile.ts';

// npm run check:container: does the Dockerfile's steps in an empty folder, runs what came out against a local chain,
// asks it what a container's neighbours ask, and ends it as Docker does. Installs packages, so it needs the registry.

const root = join(import.meta.dirname, '..', '..');
const port = 4_820;

async function waitUntilHealthy(run: (command: string[]) => number | null, command: string[]): Promise<number> {
  const startedAt = Date.now();
  while (run(command) !== 0) {
    if (Date.now() - startedAt > 60_000) throw new Error('It did not become healthy in a minute.');
  }
  return Date.now() - startedAt;
}

async function expectStatus(path: string, status: number, init: RequestInit = {}): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${path} answered ${response.status}, not ${status}.`);
  process.stdout.write(`${path} answers ${status}\n`);
}

async function check(played: Played, environment: Record<string, string>): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', ...played.environment, ...environment };
  const [program = '', ...args] = played.command;
  const service = spawn(program, args, { cwd: played.workdir, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(service, 'exit');
  try {
    const ask = ([name = '', ...words]: string[]) => spawnSync(name, words, { env }).status;
    const ms = await waitUntilHealthy(ask, played.healthcheck);
    process.stdout.write(`healthy after about ${ms} ms, by its own HEALTHCHECK\n`);
    for (const path of ['/health', '/', '/docs/', '/assets/try.js', '/openapi.json']) await expectStatus(path, 200);
    await expectStatus('/sandbox', 404);
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    await expectStatus('/v1/quote', 402, body);
  } finally {
    service.kill('SIGTERM');
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`It ended with ${code} after SIGTERM.`);
  process.stdout.write('ended with 0 after SIGTERM\n');
}

const into = await mkdtemp(join(tmpdir(), 'truefill-container-'));
const sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
try {
  const wallet = (role: string) => sandbox.wallets.find((entry) => entry.role === role);
  const played = playDockerfile(readDockerfile(await readFile(join(root, 'ops', 'Dockerfile'), 'utf8')), root, into);
  const { stdout } = spawnSync('du', ['-sm', played.folder], { encoding: 'utf8' });
  process.stdout.write(`what came out holds ${stdout.split('\t')[0]} MiB\n`);
  await check(played, {
    PORT: String(port),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    RPC_URL_BASE: sandbox.chains.base?.rpcUrl ?? '',
    PAY_TO_EVM: wallet('payTo')?.address ?? '',
    FACILITATOR_KEY_EVM: wallet('facilitator')?.privateKey ?? '',
    BLOCKSCOUT_URL: 'off',
    DEXSCREENER_URL: 'off',
    GECKOTERMINAL_URL: 'off',
  });
} finally {
  await sandbox.close();
  await rm(into, { recursive: true, force: true });
}
