import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { dependencyFaults } from './dependencyFaults.ts';
import type { FaultContext, FaultScenarios } from './faultContext.ts';
import { createFaultInjector, type Tally } from './faultInjector.ts';
import type { Random } from './random.ts';
import { outages, replicaCrashes } from './replicaFaults.ts';

/** Faults of one run. */
export interface FaultReport {
  /** Completed scenarios, by name. */
  scenarios: Tally;
  /** Faults injected into single requests, by name. */
  requestFaults: Tally;
  /** Transactions that reorganisations removed. */
  reorged: Set<Hex>;
}

/**
 * Runs random fault scenarios. Then removes all faults and starts all replicas.
 *
 * @param until end of the scenarios as a Unix time in milliseconds
 */
export async function injectFaults(environment: ChaosEnvironment, random: Random, until: number): Promise<FaultReport> {
  const report: FaultReport = { scenarios: {}, requestFaults: {}, reorged: new Set() };
  const injector = createFaultInjector(environment, report.requestFaults);
  const wait = (ms: number) => sleep(Math.max(0, Math.min(ms, until - Date.now())));
  const context: FaultContext = { environment, random, injector, wait };

  async function runScenarios(scenarios: FaultScenarios, maxPauseMs: number): Promise<void> {
    // Each scenario runs once before any is repeated, so that short runs include all.
    let remaining: string[] = [];
    while (Date.now() < until) {
      if (remaining.length === 0) remaining = Object.keys(scenarios);
      const name = random.pick(remaining);
      remaining = remaining.filter((other) => other !== name);
      await scenarios[name]?.();
      report.scenarios[name] = (report.scenarios[name] ?? 0) + 1;
      await wait(random.between(200, maxPauseMs));
    }
  }
  const dependencies = dependencyFaults(context, report.reorged);
  await Promise.all([
    runScenarios(dependencies, 1_500),
    runScenarios(dependencies, 1_500),
    runScenarios(replicaCrashes(context), 4_000),
    runScenarios(outages(context), 15_000),
  ]);
  injector.clear();
  await Promise.all(environment.replicas.map((replica) => replica.start()));
  return report;
}
