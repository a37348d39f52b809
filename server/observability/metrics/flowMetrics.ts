import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isFullySent, sentStatus } from '../../http/sentStatus.ts';
import type { Instrumentation } from '../instrumentation/instrumentation.ts';
import { methodOf, routeOf } from '../instrumentation/requestLabels.ts';

/** Upper bounds in seconds: from a 402 served from memory to a settlement that awaits its block. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** Metrics of HTTP requests. */
function createRequestMetrics(register: Registry) {
  const registers = [register];
  const requests = new Counter({
    name: 'truefill_http_requests_total',
    help: 'Requests by route (a served path, or elsewhere), method and status (left: the client disconnected first).',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'truefill_http_request_seconds',
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['route'],
    buckets,
    registers,
  });
  const abandoned = new Counter({
    name: 'truefill_http_clients_left_total',
    help: 'Requests whose connection closed before the response was sent. Half-closed connections count as answered.',
    labelNames: ['route'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'truefill_http_requests_in_flight',
    help: 'Requests in progress.',
    registers,
  });
  const broken = new Counter({
    name: 'truefill_http_broken_requests_total',
    help: 'Malformed requests. One whose headers were valid also counts in truefill_http_requests_total.',
    labelNames: ['how'],
    registers,
  });
  return { requests, requestSeconds, abandoned, inFlight, broken };
}

/** Metrics of the phases of a request. */
function createPhaseMetrics(register: Registry) {
  const registers = [register];
  const phaseSeconds = new Histogram({
    name: 'truefill_phase_seconds',
    help: 'Duration of a phase: verify and settle by network, engine by operation, store by step, rpc by chain, vendor by name.',
    labelNames: ['phase', 'of'],
    buckets,
    registers,
  });
  const phaseEnds = new Counter({
    name: 'truefill_phase_total',
    help: 'Phases by outcome.',
    labelNames: ['phase', 'of', 'outcome'],
    registers,
  });
  const rpcRequests = new Counter({
    name: 'truefill_rpc_requests_total',
    help: 'Requests to RPC URLs. of is a chain for reads, a CAIP-2 network for payments; endpoint is the position in the configured list, from 1.',
    labelNames: ['of', 'endpoint', 'outcome'],
    registers,
  });
  return { phaseSeconds, phaseEnds, rpcRequests };
}

/** Metrics of payments and answers. */
function createEventMetrics(register: Registry) {
  const registers = [register];
  const lookups = new Counter({
    name: 'truefill_answers_asked_total',
    help: 'Requests to the engine by cache result: hit, coalesced (with a running request) or miss.',
    labelNames: ['of', 'answer'],
    registers,
  });
  const walletLimited = new Counter({
    name: 'truefill_wallet_limited_total',
    help: 'Payment attempts rejected by the rate limit per wallet.',
    registers,
  });
  const toolCalls = new Counter({
    name: 'truefill_tool_calls_total',
    help: 'MCP tool calls by the status that REST would return; over HTTP all of them are 200.',
    labelNames: ['tool', 'status'],
    registers,
  });
  const groupSize = new Histogram({
    name: 'truefill_settlement_group_payments',
    help: 'Payments in one settlement transaction.',
    labelNames: ['network'],
    buckets: [1, 2, 5, 10, 20, 40, 64],
    registers,
  });
  const gasUsd = new Histogram({
    name: 'truefill_settlement_gas_usd',
    help: 'Gas of a settled payment in US dollars: its share of the transaction.',
    labelNames: ['network'],
    buckets: [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.02, 0.05],
    registers,
  });
  const refused = new Counter({
    name: 'truefill_payments_refused_total',
    help: 'Payments that were checked and not settled, by reason.',
    labelNames: ['network', 'reason'],
    registers,
  });
  const lost = new Counter({
    name: 'truefill_payments_lost_total',
    help: 'Payments that were served, and whose transaction the chain dropped for good.',
    labelNames: ['network'],
    registers,
  });
  const revenueUsd = new Counter({
    name: 'truefill_revenue_usd_total',
    help: 'Amounts of settled payments in US dollars; one USDC counts as one dollar. Free calls count nothing.',
    labelNames: ['network', 'product'],
    registers,
  });
  const failedGasUsd = new Counter({
    name: 'truefill_failed_settlement_gas_usd_total',
    help: 'Gas in US dollars of transactions that failed on chain.',
    labelNames: ['network'],
    registers,
  });
  const searches = new Counter({
    name: 'truefill_log_searches_ended_total',
    help: "Background searches in tokens' logs by their end: complete, or why they ended early.",
    labelNames: ['end'],
    registers,
  });
  return { lookups, walletLimited, toolCalls, groupSize, gasUsd, refused, lost, revenueUsd, failedGasUsd, searches };
}

/** Metrics of requests and of the phases that serve them. */
export function createFlowMetrics(register: Registry): Instrumentation {
  const { requests, requestSeconds, abandoned, inFlight, broken } = createRequestMetrics(register);
  const { phaseSeconds, phaseEnds, rpcRequests } = createPhaseMetrics(register);
  const { lookups, walletLimited, toolCalls, groupSize, gasUsd, refused, lost, revenueUsd, failedGasUsd, searches } =
    createEventMetrics(register);

  return {
    request: (listener) => (req, res) => {
      const startedAt = performance.now();
      const route = routeOf(req.url);
      const method = methodOf(req.method);
      inFlight.inc();
      res.once('close', () => {
        inFlight.dec();
        requests.inc({ route, method, status: sentStatus(res) ?? 'left' });
        requestSeconds.observe({ route }, secondsSince(startedAt));
        if (!isFullySent(res)) abandoned.inc({ route });
      });
      listener(req, res);
    },
    async span({ phase, of, endpoint }, work, { ended = () => 'ok', failed = () => 'failed' } = {}) {
      const startedAt = performance.now();
      const end = (outcome: string) => {
        phaseSeconds.observe({ phase, of }, secondsSince(startedAt));
        phaseEnds.inc({ phase, of, outcome });
        if (endpoint !== undefined) rpcRequests.inc({ of, endpoint, outcome });
      };
      try {
        const value = await work();
        end(ended(value));
        return value;
      } catch (error) {
        end(failed(error));
        throw error;
      }
    },
    record(event) {
      if (event.kind === 'lookup') lookups.inc({ of: event.of, answer: event.answer });
      else if (event.kind === 'tool called') toolCalls.inc({ tool: event.tool, status: event.status });
      else if (event.kind === 'broken request') broken.inc({ how: event.how });
      else if (event.kind === 'transaction sent') groupSize.observe({ network: event.network }, event.payments);
      else if (event.kind === 'gas paid') gasUsd.observe({ network: event.network }, event.usd);
      else if (event.kind === 'gas lost') failedGasUsd.inc({ network: event.network }, event.usd);
      else if (event.kind === 'payment settled')
        revenueUsd.inc({ network: event.network, product: event.paid }, event.usd);
      else if (event.kind === 'payment refused') refused.inc({ network: event.network, reason: event.reason });
      else if (event.kind === 'log search ended') searches.inc({ end: event.end });
      else if (event.kind === 'payment lost') lost.inc({ network: event.network });
      else walletLimited.inc();
    },
  };
}
