import { context, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { serviceVersion } from '../../../router/index.ts';
import { requestIdOf } from '../../http/requestId.ts';
import { sentStatus } from '../../http/sentStatus.ts';
import type { Instrumentation } from '../instrumentation/instrumentation.ts';
import { methodOf, routeOf } from '../instrumentation/requestLabels.ts';

/** Destination and sampling of spans. */
export interface TracesConfig {
  /** OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Sent with each export only; may contain a key. */
  headers: Readonly<Record<string, string>>;
  /** Share of the requests that are traced, 0 to 1. */
  ratio: number;
}

/** Timeout of one export, including the last one at shutdown. */
const exportTimeoutMs = 5_000;

/**
 * Creates a span for each request, with child spans for its phases. Spans contain the labels of the metrics and the
 * request id: no payer, header, body or error text. A caller's `traceparent` is ignored, and nodes and vendors receive
 * none.
 *
 * @param onFault receives the exporter's errors and warnings
 */
export function createTraces(
  { endpoint, headers, ratio }: TracesConfig,
  onFault: (error: unknown) => void,
): { instrumentation: Instrumentation; close(): Promise<void> } {
  const report = (message: string, ...more: unknown[]) => onFault(new Error([message, ...more].map(String).join(' ')));
  const silent = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: exportTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'truefill', 'service.version': serviceVersion }),
    sampler: new TraceIdRatioBasedSampler(ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: exportTimeoutMs })],
  });
  const tracer = provider.getTracer('truefill', serviceVersion);

  const instrumentation: Instrumentation = {
    request: (listener) => (req, res) => {
      const route = routeOf(req.url);
      const method = methodOf(req.method);
      const span = tracer.startSpan(
        `${method} ${route}`,
        { kind: SpanKind.SERVER, attributes: { 'http.request.method': method, 'http.route': route } },
        ROOT_CONTEXT,
      );
      res.once('close', () => {
        const status = sentStatus(res);
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        span.setAttribute('truefill.request_id', requestIdOf(res) ?? '');
        if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(ROOT_CONTEXT, span), () => listener(req, res));
    },
    async span({ phase, of, endpoint: position }, work, { ended = () => 'ok', failed = () => 'failed' } = {}) {
      // Background work, like probing a node, belongs to no request; metrics cover it.
      if (!trace.getActiveSpan()) return work();
      const attributes = { 'truefill.of': of, ...(position !== undefined && { 'truefill.endpoint': position }) };
      return tracer.startActiveSpan(`${phase} ${of}`, { attributes }, async (span) => {
        try {
          const value = await work();
          span.setAttribute('truefill.outcome', ended(value));
          return value;
        } catch (error) {
          span.setAttribute('truefill.outcome', failed(error));
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    record(event) {
      if (event.kind === 'lookup') trace.getActiveSpan()?.setAttribute('truefill.answer', event.answer);
    },
  };

  return {
    instrumentation,
    async close() {
      await provider.shutdown().catch(onFault);
      context.disable();
      diag.disable();
    },
  };
}
