import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A program of ours in a process of its own, and every word of it. */
export interface OwnProcess {
  /** Standard output and standard error so far. */
  readonly said: string;
  /** The first match of its words, waited for. @throws when it ends before */
  hear(pattern: RegExp): Promise<string>;
  /** Lets it end by itself. */
  ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** @param script beneath the project's root */
export function startProcess(script: string, args: readonly string[], environment: Record<string, string>): OwnProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const add = (text: string) => {
    said += text;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    get said() {
      return said;
    },
    async hear(pattern) {
      for (;;) {
        const found = pattern.exec(said);
        if (found) return found[1] ?? found[0];
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${said.slice(-2_000)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}
