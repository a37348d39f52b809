import { context, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { serviceVersion } from '../../../router/index.ts';
import { requestNameOf } from '../../http/requestName.ts';
import { sentStatus } from '../../http/sentStatus.ts';
import { methodOf, routeOf } from '../watch/routeOf.ts';
import type { Watch } from '../watch/watch.ts';

/** Where spans go, and how many. */
export interface TracesConfig {
  /** OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Sent with each export, and to nobody else; may hold a key. */
  headers: Readonly<Record<string, string>>;
  /** Share of the requests that are traced, 0 to 1. */
  ratio: number;
}

/** Longest that one delivery, and the last one at the end, may take. */
const exportTimeoutMs = 5_000;

/**
 * A span for each request, and one beneath it for each piece of work. Spans hold what metrics hold, beside the request
 * id: no payer, no header, no body, no error text. A caller's own `traceparent` is not believed, and nothing is passed
 * on to nodes and vendors.
 *
 * @param onFault told what the exporter complains of
 */
export function createTraces(
  { endpoint, headers, ratio }: TracesConfig,
  onFault: (complaint: unknown) => void,
): { watch: Watch; close(): Promise<void> } {
  const complain = (message: string, ...more: unknown[]) =>
    onFault(new Error([message, ...more].map(String).join(' ')));
  const silent = () => undefined;
  diag.setLogger(
    { error: complain, warn: complain, info: silent, debug: silent, verbose: silent },
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

  const watch: Watch = {
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
        span.setAttribute('truefill.request_id', requestNameOf(res) ?? '');
        if (status !== undefined && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      context.with(trace.setSpan(ROOT_CONTEXT, span), () => listener(req, res));
    },
    async piece({ phase, of, endpoint: position }, work, { ended = () => 'ok', failed = () => 'failed' } = {}) {
      // Work that no request asked for, like probing a node, is seen in the metrics.
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
    happened(happening) {
      if (happening.kind === 'asked') trace.getActiveSpan()?.setAttribute('truefill.answer', happening.answer);
    },
  };

  return {
    watch,
    async close() {
      await provider.shutdown().catch(onFault);
      context.disable();
      diag.disable();
    },
  };
}
