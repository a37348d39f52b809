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

/** Number of kills by step. */
const killed = new Map<string, number>();

/** The next process, started in advance because starting takes longer than killing. */
let spare: ChildProcess | undefined;

/** Kills the spare process and prints the report. Each test file calls this once, because files share this module. */
export function cleanUpProcesses(): void {
  afterAll(() => {
    spare?.kill('SIGKILL');
    spare = undefined;
    const report = [...killed].map(([step, times]) => `${step} ${times}`).join(', ');
    killed.clear();
    if (repetitions > 1) console.info(`Killed at: ${report}`);
  });
}

/** Starts the task's payments in another process, which stops at the step `stopAt`. */
export function startCrashingProcess(task: CrashTask) {
  const child = spare ?? forkProcess();
  spare = forkProcess();
  child.send(task);
  const exited = once(child, 'exit');
  return {
    /** Resolves with the step at which the process stopped. */
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

/** Runs `once` `repetitions` times on one new database, which keeps the rows of earlier crashes. */
export async function onOneDatabase(
  newLocation: () => Promise<DatabaseLocation>,
  once: (location: DatabaseLocation) => Promise<void>,
): Promise<void> {
  const location = await newLocation();
  for (let n = 0; n < repetitions; n += 1) await once(location);
}
