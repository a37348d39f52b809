import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Nginx {
  /** Errors that nginx has logged. */
  errors(): string[];
  close(): Promise<void>;
}

/** The id of an account without rights, on Linux. */
const unprivilegedId = 65_534;

/** The accounts that nginx can be started as: an ordinary user, and root if this process is root. */
export const accounts =
  process.getuid?.() === 0 ? (['root', 'an ordinary user'] as const) : ['an ordinary user' as const];
export type Account = (typeof accounts)[number];

/** A free TCP port. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts nginx in the foreground, with files in a temporary folder. All other settings have nginx's defaults.
 * @param servers `server` blocks
 * @param files files of the folder by name; `servers` refers to them as `{folder}/name`
 */
export async function startNginx(
  program: string,
  { servers, files = {}, account }: { servers: string; files?: Record<string, string>; account: Account },
): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'truefill-nginx-'));
  const uid = process.getuid?.() === 0 && account !== 'root' ? unprivilegedId : undefined;
  // As root, the workers run as another user and must reach the folder.
  await chmod(folder, 0o755);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`);
  const configuration = `daemon off;
pid ${folder}/nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  ${paths.join('\n  ')}
${servers.replaceAll('{folder}', folder)}
}
`;
  for (const [name, text] of Object.entries({ ...files, 'nginx.conf': configuration })) {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    if (uid !== undefined) await chown(join(folder, name), uid, uid);
  }
  if (uid !== undefined) await chown(folder, uid, uid);

  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const log = await started(child);
  return {
    errors: () => log.text.split('\n').filter((line) => /\[(error|crit|alert|emerg)\]/.test(line)),
    async close() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once the workers run; rejects with nginx's messages if it exits before. */
function started(child: ChildProcess): Promise<{ text: string }> {
  const log = { text: '' };
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`nginx did not start: ${log.text}`)));
    child.stderr?.on('data', (chunk) => {
      log.text += chunk;
      if (log.text.includes('start worker process ')) resolve(log);
    });
  });
}
