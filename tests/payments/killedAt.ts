import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll } from 'vitest';
import type { MortalOrder } from './mortalCashier.ts';

/** As one file a process is there in a quarter of a second; from its sources, through tsx, in two. */
async function bundleMortal(): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  const outfile = join(root, '.cache', `mortal-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, 'mortalCashier.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // Native code and WebAssembly, which they look for beside themselves.
    external: ['libsql', 'pg', 'secp256k1', 'tiny-secp256k1', 'evmole'],
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  });
  return outfile;
}

const bundle = await bundleMortal();
const newMortal = (): ChildProcess =>
  fork(bundle, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** How often each step is tried: once in every run, more when it is to be proven. */
export const repetitions = Number(process.env.CRASH_REPETITIONS ?? 1);

/** By step: how many have died there. */
const killed = new Map<string, number>();

/** Loading takes longer than dying: while one is being killed, the next one gets ready. */
let spare: ChildProcess | undefined;
afterAll(async () => {
  spare?.kill('SIGKILL');
  await rm(bundle);
  const told = [...killed].map(([step, times]) => `${step} ${times}`).join(', ');
  if (repetitions > 1) console.info(`Killed at: ${told}`);
});

/** Starts one payment in another process, which stops dead at a step. */
export function startMortal(order: MortalOrder) {
  const child = spare ?? newMortal();
  spare = newMortal();
  child.send(order);
  const exited = once(child, 'exit');
  return {
    /** Resolves with the step it stands at. */
    stopped: Promise.race([once(child, 'message'), exited.then(() => ['exited too early'])]).then(([step]) => step),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
      killed.set(order.step ?? order.stopAt, (killed.get(order.step ?? order.stopAt) ?? 0) + 1);
    },
  };
}

/** SIGKILL at that step. */
export async function killAt(order: MortalOrder): Promise<void> {
  const mortal = startMortal(order);
  const step = await mortal.stopped;
  await mortal.kill();
  if (step !== order.stopAt) throw new Error(`It was to stop at ${order.stopAt}, and came to: ${step}`);
}

export async function repeat(once: () => Promise<void>): Promise<void> {
  for (let n = 0; n < repetitions; n += 1) await once();
}
