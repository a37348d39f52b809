import type { CommonConfig } from '../../config/index.ts';
import type { MetricSources } from '../metrics/metricSources.ts';
import { combineWatches, unwatched, type Watch } from './watch.ts';

/** Receives failures of the instrumentation itself. */
interface WatchLog {
  warn(facts: object, message: string): void;
}

/** The instrumentation of one process. */
export interface OpenWatch extends Watch {
  /** URL of the metrics; undefined if they are not configured. */
  readonly metricsUrl: string | undefined;
  /** Called when the service is built: later scrapes export its state. */
  observeState(sources: MetricSources, log: WatchLog): void;
  close(): Promise<void>;
}

/**
 * Opens metrics and traces as configured. Packages of what is not configured are not loaded.
 * @throws what listening on METRICS_PORT throws
 */
export async function openWatch({ metricsAt, traces }: Pick<CommonConfig, 'metricsAt' | 'traces'>): Promise<OpenWatch> {
  let log: WatchLog | undefined;
  const warn = (message: string) => (err: unknown) => log?.warn({ err }, message);
  const metrics = metricsAt && (await import('../metrics/createMetrics.ts')).createMetrics();
  const server =
    metrics &&
    (await (await import('../metrics/serveMetrics.ts')).serveMetrics(metrics, metricsAt, warn('A scrape failed')));
  const tracing =
    traces && (await import('../traces/createTraces.ts')).createTraces(traces, warn('Traces cannot be delivered'));
  const watch = combineWatches(metrics?.watch ?? unwatched, tracing?.watch ?? unwatched);
  return {
    ...(metrics || tracing ? watch : unwatched),
    metricsUrl: server?.url,
    observeState(sources, logger) {
      log = logger;
      metrics?.observeState(sources);
    },
    async close() {
      await tracing?.close();
      await server?.close();
    },
  };
}
