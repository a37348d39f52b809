import type { CommonConfig } from '../../config/index.ts';
import type { MetricSources } from '../metrics/metricSources.ts';
import { unwatched, type Watch, watchTogether } from './watch.ts';

/** What is told of the watching itself. */
interface WatchLog {
  warn(facts: object, message: string): void;
}

/** The looking glass of one process. */
export interface OpenWatch extends Watch {
  /** Where metrics are served; undefined: nowhere. */
  readonly metricsUrl: string | undefined;
  /** Told once all is built: the state of it shows in the metrics from now on. */
  lookAt(sources: MetricSources, log: WatchLog): void;
  close(): Promise<void>;
}

/**
 * What the configuration asks for: metrics, traces, both or neither. What is not asked for is not loaded.
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
  const watch = watchTogether(metrics?.watch ?? unwatched, tracing?.watch ?? unwatched);
  return {
    ...(metrics || tracing ? watch : unwatched),
    metricsUrl: server?.url,
    lookAt(sources, told) {
      log = told;
      metrics?.lookAt(sources);
    },
    async close() {
      await tracing?.close();
      await server?.close();
    },
  };
}
