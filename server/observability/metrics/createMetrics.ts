import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Watch } from '../watch/watch.ts';
import { createFlowMetrics } from './flowMetrics.ts';
import type { MetricSources } from './metricSources.ts';
import { createStateMetrics } from './stateMetrics.ts';

/** The metrics of this process, in Prometheus's text format. */
export interface Metrics {
  watch: Watch;
  contentType: string;
  /** What is known now, in text. The store is asked one small question and waited for a moment; no RPC is asked. */
  scrape(): Promise<string>;
  /** From now on scrapes tell the state of what was built, too. */
  lookAt(sources: MetricSources): void;
}

/**
 * Counts and measures what the process does. How many series there are depends on the configuration alone: every label
 * is a word of ours, a served path, a configured network or a position in a list.
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
    lookAt: (sources) => state.lookAt(sources),
  };
}
