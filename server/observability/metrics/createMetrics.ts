import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Instrumentation } from '../instrumentation/instrumentation.ts';
import { createFlowMetrics } from './flowMetrics.ts';
import type { MetricSources } from './metricSources.ts';
import { createStateMetrics } from './stateMetrics.ts';

/** The metrics of this process, in Prometheus's text format. */
export interface Metrics {
  instrumentation: Instrumentation;
  contentType: string;
  /** The current metrics as text. Sends one small query to the store, with a timeout, and no RPC request. */
  scrape(): Promise<string>;
  /** Adds the state of engine, accounts and payments to later scrapes. */
  observeState(sources: MetricSources): void;
}

/**
 * Creates the metrics of the process. Only the configuration determines the number of series: every label is a constant,
 * a served path, a configured network or a position in a list.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const flow = createFlowMetrics(registry);
  const state = createStateMetrics(registry);
  return {
    instrumentation: flow,
    contentType: registry.contentType,
    async scrape() {
      await state.refresh();
      return registry.metrics();
    },
    observeState: (sources) => state.observeState(sources),
  };
}
