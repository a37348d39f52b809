import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Sandbox, SolanaWallet } from '../../sandbox/index.ts';

/** The parts of `GET /sandbox` needed to pay and to execute a route on the local chains. */
export type SandboxDescription = Pick<Sandbox, 'chains' | 'wallets'> & { solana: SolanaDescription };

/** Solana is a payment network only: its tokens cannot be quoted. */
export interface SolanaDescription {
  network: `solana:${string}`;
  rpcUrl: string;
  wallets: SolanaWallet[];
}

export interface Service {
  url: string;
  sandbox: SandboxDescription;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');

async function fetchSandbox(url: string): Promise<SandboxDescription | undefined> {
  const response = await fetch(`${url}/sandbox`, { signal: AbortSignal.timeout(2_000) }).catch((error: Error) => {
    // undici reports a refused connection as `fetch failed`; rethrow anything else.
    if (error.message === 'fetch failed') return undefined;
    throw error;
  });
  if (response === undefined || response.status === 404) return undefined;
  if (!response.ok) throw new Error(`GET ${url}/sandbox answered ${response.status}`);
  return (await response.json()) as SandboxDescription;
}

async function startService(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'), 'server/main.ts'], {
    cwd: root,
    // Its log would stand between the lines of the demo.
    env: { LOG_LEVEL: 'warn', ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The service exited with code ${code} before it printed its URL.`)));
    lines.on('line', (line) => {
      const found = /https?:\/\/[^\s]+:\d+/.exec(line);
      if (found) resolve(found[0]);
    });
  });
  return { url, child };
}

/**
 * Connects to the sandbox service at `url`, or starts one on a free port that stops with the demo.
 *
 * @throws {Error} if `url` responds with an error other than 404, or the service does not start
 */
export async function connectService(url: string): Promise<Service> {
  const running = await fetchSandbox(url);
  if (running) return { url, sandbox: running, close: async () => {} };

  console.log(`No sandbox service at ${url}; starting one of our own …`);
  const { url: own, child } = await startService();
  const sandbox = await fetchSandbox(own);
  if (!sandbox) throw new Error(`The service at ${own} is not in sandbox mode.`);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: own,
    sandbox,
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
