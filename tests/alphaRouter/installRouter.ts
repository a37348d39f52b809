import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = import.meta.dirname;
const marker = join(folder, 'node_modules', '.truefill-lock');

/** Installs the packages of this folder's lockfile, unless they are installed. No package needs an install script. */
export async function installRouter(): Promise<void> {
  const lock = createHash('sha256')
    .update(await readFile(join(folder, 'package-lock.json')))
    .digest('hex');
  if ((await readFile(marker, 'utf8').catch(() => '')) === lock) return;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, ['ci', '--ignore-scripts', '--loglevel=error'], { cwd: folder, stdio: 'inherit' });
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0) throw new Error(`npm ci in ${folder} exited with ${status}.`);
  await writeFile(marker, lock);
}
