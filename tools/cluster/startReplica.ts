import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** One service in a process of its own. */
export interface Replica {
  url: string;
  /** Kills the process, like a power cut. */
  kill(): Promise<void>;
  /** Stops it after its current requests. */
  stop(): Promise<void>;
  /** Suspends the process (SIGSTOP) until `thaw`. */
  freeze(): void;
  thaw(): void;
}

const fromSources = ['--import', 'tsx', join(import.meta.dirname, '../../server/main.ts')];

/**
 * @param onOutput receives its stdout and stderr
 * @param entry Node arguments; our sources by default
 * @throws when the process exits before it listens, with its output
 */
export async function startReplica(
  environment: Record<string, string>,
  onOutput: (text: string) => void = () => undefined,
  entry: readonly string[] = fromSources,
): Promise<Replica> {
  const child = spawn(process.execPath, entry, {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', HOST: '127.0.0.1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (text: string) => {
      onOutput(text);
      output = `${output}${text}`.slice(-4_000);
      const found = /answers on (http:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', listen);
    exited.then(() => reject(new Error(`A replica ended before it was ready: ${output}`)));
  });
  const end = (signal: NodeJS.Signals) => async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await exited;
  };
  return {
    url,
    kill: end('SIGKILL'),
    stop: end('SIGTERM'),
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}
