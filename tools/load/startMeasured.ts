import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Resource use of a process since its start. CPU in microseconds over all threads; memory in bytes. */
interface Usage {
  cpuMicros: number;
  rss: number;
  heapUsed: number;
}

/** A process whose resource use is measured. */
export interface Measured {
  /** The match of `pattern` in its output, such as its URL. */
  ready: string;
  /** Milliseconds from spawn to the match. */
  startMs: number;
  usage(): Promise<Usage>;
  /** `usage` after a garbage collection, which needs the Node argument `--expose-gc`. */
  usageCollected(): Promise<Usage>;
  stop(): Promise<void>;
}

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/**
 * Starts a Node process and waits for the expected output.
 *
 * @param options.core CPU core to pin the process to, if taskset is available; undefined: no pinning
 * @param options.pattern the expected output; its first group, if any, is `ready`
 * @throws {Error} the process exited before; with its output
 */
export async function startMeasured(options: {
  nodeArguments: readonly string[];
  environment?: Record<string, string>;
  core?: number | undefined;
  pattern: RegExp;
}): Promise<Measured> {
  const { nodeArguments, environment = {}, core, pattern } = options;
  const preload = ['--import', join(import.meta.dirname, 'reportUsage.mjs')];
  const command = [process.execPath, ...preload, ...nodeArguments];
  const pinned = core !== undefined && hasTaskset ? ['taskset', '-c', String(core), ...command] : command;
  const startedAt = performance.now();
  const child = spawn(pinned[0] ?? '', pinned.slice(1), {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  let text = '';
  const ready = await new Promise<string>((resolve, reject) => {
    const match = (part: string) => {
      text = `${text}${part}`.slice(-4_000);
      const found = pattern.exec(text);
      if (found) resolve(found[1] ?? found[0]);
    };
    child.stdout?.setEncoding('utf8').on('data', match);
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      process.stderr.write(part);
      match(part);
    });
    exited.then(() => reject(new Error(`The process exited before it was ready: ${text}`)));
  });

  async function readUsage(request: 'usage' | 'collect'): Promise<Usage> {
    child.send(request);
    const [{ cpu, rss, heapUsed }] = await once(child, 'message');
    return { cpuMicros: cpu.user + cpu.system, rss, heapUsed };
  }

  return {
    ready,
    startMs: performance.now() - startedAt,
    usage: () => readUsage('usage'),
    usageCollected: () => readUsage('collect'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await exited;
    },
  };
}
