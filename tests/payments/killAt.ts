import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll } from 'vitest';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { bundleScript } from '../support/bundleScript.ts';
import type { CrashTask } from './crashingProcess.ts';

const bundle = await bundleScript('tests/payments/crashingProcess.ts');
const forkProcess = (): ChildProcess =>
  fork(bundle, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** Repetitions of each step: one in a test run, more in `prove:crashes`. */
export const repetitions = Number(process.env.CRASH_REPETITIONS ?? 1);

/** By step: number of kills. */
const killed = new Map<string, number>();

/** Starting takes longer than killing, so the next process starts in advance. */
let spare: ChildProcess | undefined;

/** Each test file that kills processes calls this once: files share this module. */
export function cleanUpProcesses(): void {
  afterAll(() => {
    spare?.kill('SIGKILL');
    spare = undefined;
    const report = [...killed].map(([step, times]) => `${step} ${times}`).join(', ');
    killed.clear();
    if (repetitions > 1) console.info(`Killed at: ${report}`);
  });
}

/** Starts one payment in another process, which stops at a step. */
export function startCrashingProcess(task: CrashTask) {
  const child = spare ?? forkProcess();
  spare = forkProcess();
  child.send(task);
  const exited = once(child, 'exit');
  return {
    /** Resolves with the step at which it stopped. */
    stopped: Promise.race([once(child, 'message'), exited.then(() => ['exited too early'])]).then(([step]) => step),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await exited;
      killed.set(task.step ?? task.stopAt, (killed.get(task.step ?? task.stopAt) ?? 0) + 1);
    },
  };
}

/** Kills a payment service (SIGKILL) at the step `stopAt`. */
export async function killAt(task: CrashTask): Promise<void> {
  const crashing = startCrashingProcess(task);
  const step = await crashing.stopped;
  await crashing.kill();
  if (step !== task.stopAt) throw new Error(`Expected a stop at ${task.stopAt}, got: ${step}`);
}

/** Repeats `once` on one new database, which keeps the rows of earlier crashes. */
export async function onOneDatabase(
  newPlace: () => Promise<DatabaseLocation>,
  once: (place: DatabaseLocation) => Promise<void>,
): Promise<void> {
  const place = await newPlace();
  for (let n = 0; n < repetitions; n += 1) await once(place);
}
