/**
 * Installs the packages of the lockfile if node_modules is absent or was installed from another lockfile, so that
 * `npm start` and `npm test` work on a fresh clone. Uses Node's own modules only.
 *
 * Both run it directly, because `ignore-scripts` skips pre-scripts. `npm start` runs it in the service's own process.
 *
 * `npm install --no-save` and not `npm ci`: see docs/design/pitfalls.md.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 20)) {
  console.error(`truefill needs Node 20.20 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

// A live deployment is installed beforehand (`npm install --omit=dev`), and must not contact a registry at start.
if (process.env.TRUEFILL_MODE !== 'live') installLocked();

function installLocked() {
  const marker = join(root, 'node_modules', '.truefill-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
  console.log('Installing the packages of package-lock.json …');
  const { status } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(marker, lock);
}
