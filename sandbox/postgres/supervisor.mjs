// Supervises one PostgreSQL server as a separate process that holds a pipe to its parent. When the parent dies, the
// kernel closes the pipe; the supervisor then stops the server and removes its folder.
// Input: lines `start` and `crash`. Output: one JSON line each, { ready } or { crashed } or { failed }.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const { native, port } = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'truefill-postgres-'));
const user = serverUser();
let server;
let log = '';

function report(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** PostgreSQL refuses to run as root; in that case run it as the user `nobody`. */
function serverUser() {
  if (process.platform === 'win32' || process.getuid() !== 0) return {};
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : { uid: 65534, gid: 65534 };
}

/**
 * Copies the package's files to a folder that this user can read, and creates the database files. An npm package cannot
 * contain symbolic links: a JSON file lists them, and they are created here instead of by an install script.
 */
function install() {
  cpSync(native, join(folder, 'native'), { recursive: true, filter: (path) => !path.endsWith('.a') });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) symlinkSync(basename(source), join(folder, target));
  const data = join(folder, 'data');
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const args = ['-D', data, '-U', 'truefill', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const { status, stderr } = spawnSync(join(folder, 'native/bin/initdb'), args, {
    ...user,
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb exited with ${status}: ${stderr?.slice(-500)}`);
}

function start() {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '32MB',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  server = spawn(join(folder, 'native/bin/postgres'), ['-D', join(folder, 'data'), ...args], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  log = '';
  let isReady = false;
  server.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-2000);
    if (isReady || !log.includes('ready to accept connections')) return;
    isReady = true;
    report({ ready: true });
  });
  server.on('exit', (code, signal) => {
    if (!isReady) report({ failed: `exited with ${signal ?? code}: ${log.slice(-500)}` });
  });
}

/** Immediate shutdown without a checkpoint, as after a power failure; the next start recovers. */
async function crash() {
  const exited = once(server, 'exit');
  server.kill('SIGQUIT');
  await exited;
  report({ crashed: true });
}

async function end() {
  if (server && server.exitCode === null && server.signalCode === null) {
    const exited = once(server, 'exit');
    server.kill('SIGQUIT');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
process.stdout.on('error', end);
createInterface({ input: process.stdin })
  .on('line', (line) => (line === 'crash' ? crash() : start()))
  .on('close', end);
try {
  install();
  start();
} catch (error) {
  report({ failed: error.message });
}
