import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { FaultInjector } from './faultInjector.ts';
import type { Random } from './random.ts';

/** Fault scenarios by name. Each lasts a few seconds and restores what it changed. */
export type FaultScenarios = Record<string, () => Promise<void>>;

/** Dependencies of every scenario. */
export interface FaultContext {
  environment: ChaosEnvironment;
  random: Random;
  injector: FaultInjector;
  /** Resolves after `ms`, or at the end of the run if that is earlier. */
  wait(ms: number): Promise<void>;
}
