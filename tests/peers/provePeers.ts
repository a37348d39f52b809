/**
 * npm run prove:peers [-- --short] [--install-only | --no-install]
 *
 * Installs the programs of others that judge the service, each by its ordinary client, and runs the tests in tests/peers
 * with them. A program that cannot be installed is named with the command that installs it, and its tests are skipped. What
 * was built is kept in the user's cache folder. Exits with 1 if a test failed.
 *
 * --short: only the tests that `npm test` skips, with one hard fork.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findProgram } from './findProgram.ts';
import { peersFolder } from './geth/gethProgram.ts';
import { type Peer, peers } from './peers.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    'install-only': { type: 'boolean', default: false },
    'no-install': { type: 'boolean', default: false },
  },
});

// RUNLEVEL=1: the package must not start its own service.
const installNginx =
  'export RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install --yes --no-install-recommends nginx';

/** Installs what is missing. */
function install({ name, install: command, seconds }: Omit<Peer, 'file'>, isInstalled: () => boolean): void {
  if (isInstalled()) {
    console.log(`${name}: installed`);
    return;
  }
  const startedAt = Date.now();
  const { error, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd: peersFolder,
    timeout: seconds * 1000,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (isInstalled()) {
    console.log(`${name}: installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    return;
  }
  const reason = error?.message ?? `${stdout}${stderr}`.trim().split('\n').at(-1);
  console.log(`${name}: not installed, so its tests are skipped (${reason}). To install it: ${command}`);
}

if (!values['no-install']) {
  mkdirSync(peersFolder, { recursive: true });
  install({ name: 'nginx', install: installNginx, seconds: 180 }, () =>
    Boolean(findProgram('nginx', 'apt-get install nginx')),
  );
  for (const peer of Object.values(peers)) install(peer, () => existsSync(peer.file));
}

if (!values['install-only']) {
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const folders = values.short ? ['tests/peers/replay', 'tests/peers/clients'] : ['tests/peers'];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...folders], {
    stdio: 'inherit',
    env: { ...process.env, PROVE_PEERS: values.short ? 'short' : 'full' },
  });
  process.exitCode = status ?? 1;
}
