/**
 * npm run prove:peers [-- --install-only]
 *
 * Installs the peers that are missing, by their ordinary clients, and runs the tests in tests/peers: the service on
 * go-ethereum and behind nginx. A peer that cannot be installed is named with its command, and its tests are skipped. What
 * was built is kept in the user's cache folder. Exits with 1 if a test fails.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findProgram } from './findProgram.ts';
import { gethModule, gethProgram, peersFolder } from './geth/gethProgram.ts';

const { values } = parseArgs({ options: { 'install-only': { type: 'boolean' } } });

/** @returns whether the command ended with 0 within the time */
function run(program: string, options: readonly string[], env: Record<string, string>, seconds: number): boolean {
  const { status } = spawnSync(program, options, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
    timeout: seconds * 1_000,
  });
  return status === 0;
}

function installGeth(): void {
  if (gethProgram()) return;
  const folder = join(peersFolder, 'bin');
  console.log(`Building geth. This takes about five minutes once: GOBIN=${folder} go install ${gethModule}`);
  if (!run('go', ['install', gethModule], { GOBIN: folder }, 600)) console.log('geth could not be built.');
}

function installNginx(): void {
  if (findProgram('nginx', 'apt-get install nginx')) return;
  const env = { RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const installed =
    process.getuid?.() === 0 &&
    run('apt-get', ['--quiet=2', 'update'], env, 120) &&
    run('apt-get', ['--quiet=2', 'install', '--yes', '--no-install-recommends', 'nginx'], env, 180);
  if (!installed) console.log('nginx could not be installed: apt-get failed, or needs root.');
}

installNginx();
installGeth();
if (!values['install-only']) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'tests/peers'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
