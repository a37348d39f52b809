import type { CommonConfig } from '../../config/index.ts';
import type { MetricSources } from '../metrics/metricSources.ts';
import { combineInstrumentations, type Instrumentation, noInstrumentation } from './instrumentation.ts';

/** Receives failures of the instrumentation itself. */
interface InstrumentationLog {
  warn(facts: object, message: string): void;
}

/** The instrumentation of one process. */
export interface OpenInstrumentation extends Instrumentation {
  /** URL of the metrics; undefined if they are not configured. */
  readonly metricsUrl: string | undefined;
  /** Adds the state to later scrapes, once the service is built. Failures of the instrumentation go to `log`. */
  observeState(sources: MetricSources, log: InstrumentationLog): void;
  close(): Promise<void>;
}

/**
 * Opens metrics and traces if they are configured; otherwise their packages are not loaded.
 * @throws errors of `listen` on METRICS_PORT
 */
export async function openInstrumentation({
  metricsAt,
  traces,
}: Pick<CommonConfig, 'metricsAt' | 'traces'>): Promise<OpenInstrumentation> {
  let log: InstrumentationLog | undefined;
  const warn = (message: string) => (err: unknown) => log?.warn({ err }, message);
  const metrics = metricsAt && (await import('../metrics/createMetrics.ts')).createMetrics();
  const server =
    metrics &&
    (await (await import('../metrics/serveMetrics.ts')).serveMetrics(metrics, metricsAt, warn('A scrape failed')));
  const tracing =
    traces && (await import('../traces/createTraces.ts')).createTraces(traces, warn('Traces cannot be delivered'));
  const instrumentation = combineInstrumentations(
    metrics?.instrumentation ?? noInstrumentation,
    tracing?.instrumentation ?? noInstrumentation,
  );
  return {
    ...(metrics || tracing ? instrumentation : noInstrumentation),
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
