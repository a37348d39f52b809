import { rememberAnswers } from './rememberAnswers.ts';
import { createRestRunner } from './restRunner.ts';
import type { Runner } from './runner.ts';
import { createTrpcRunner } from './trpcRunner.ts';

export interface RunnerDeps {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Told of each answer that still stood and was given again, by what was sold. */
  onRemembered?: ((paid: string) => void) | undefined;
}

/** Who runs a procedure that is paid for, by the surface that it was asked on. */
export function createRunners({ now, onRemembered }: RunnerDeps): Record<'rest' | 'trpc', Runner> {
  return { rest: rememberAnswers(createRestRunner(), now, onRemembered), trpc: createTrpcRunner() };
}
