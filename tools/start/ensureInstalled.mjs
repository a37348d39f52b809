/**
 * Runs first in `npm start`, in the service's own process, and in `npm test` (not as a pre-script: `ignore-scripts` skips
 * those), so that each is a single command on a fresh clone: installs what the lockfile pins when node_modules is absent
 * or was made from another lockfile. Plain Node, no dependency.
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

// A live deployment installs by itself (`npm install --omit=dev`) and must not reach for a registry at start.
if (process.env.TRUEFILL_MODE !== 'live') installWhatIsLocked();

function installWhatIsLocked() {
  const marker = join(root, 'node_modules', '.truefill-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return;
  console.log('Installing what package-lock.json pins …');
  const { status } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(marker, lock);
}
