import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A script in a child process. */
export interface ScriptProcess {
  /** Standard output and standard error so far. */
  readonly output: string;
  /** Waits for a match in the output. Returns its first group or the whole match. @throws if the process ends */
  waitFor(pattern: RegExp): Promise<string>;
  /** Resolves with the exit code; null if a signal ended the process. */
  ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** Starts a script. @param script path relative to the project's root; TypeScript runs through tsx */
export function startProcess(
  script: string,
  args: readonly string[],
  environment: Record<string, string>,
): ScriptProcess {
  const compiler = script.endsWith('.mjs') ? [] : ['--import', 'tsx'];
  const child = spawn(process.execPath, [...compiler, script, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const add = (text: string) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    get output() {
      return output;
    },
    async waitFor(pattern) {
      for (;;) {
        const found = pattern.exec(output);
        if (found) return found[1] ?? found[0];
        const exit = child.exitCode ?? child.signalCode;
        if (exit !== null) throw new Error(`The process ended with ${exit}: ${output.slice(-2_000)}`);
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
