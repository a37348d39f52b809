import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Watch } from '../watch/watch.ts';
import { createFlowMetrics } from './flowMetrics.ts';
import type { MetricSources } from './metricSources.ts';
import { createStateMetrics } from './stateMetrics.ts';

/** The metrics of this process, in Prometheus's text format. */
export interface Metrics {
  watch: Watch;
  contentType: string;
  /** The current metrics as text. Sends one small query to the store, with a timeout, and no RPC request. */
  scrape(): Promise<string>;
  /** Adds the state of the engine, accounts and payments to later scrapes. */
  observeState(sources: MetricSources): void;
}

/**
 * Creates the metrics of the process. The number of series depends on the configuration alone: every label is a constant,
 * a served path, a configured network or a position in a list.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const flow = createFlowMetrics(registry);
  const state = createStateMetrics(registry);
  return {
    watch: flow,
    contentType: registry.contentType,
    async scrape() {
      await state.refresh();
      return registry.metrics();
    },
    observeState: (sources) => state.observeState(sources),
  };
}
