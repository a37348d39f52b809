import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { hasAll, sentStatus } from '../../http/sentStatus.ts';
import { methodOf, routeOf } from '../watch/routeOf.ts';
import type { Watch } from '../watch/watch.ts';

/** Seconds. From a 402 out of memory to a settlement that waits for its chain. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

/** What goes through the process: requests, and the phases of answering them. */
export function createFlowMetrics(register: Registry): Watch {
  const registers = [register];
  const requests = new Counter({
    name: 'truefill_http_requests_total',
    help: 'Requests answered. route is a served path, or elsewhere; status is left where the client had gone before.',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'truefill_http_request_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['route'],
    buckets,
    registers,
  });
  const abandoned = new Counter({
    name: 'truefill_http_clients_left_total',
    help: 'Requests whose connection broke before the answer was sent. Who only closed his side may still listen, and counts as answered.',
    labelNames: ['route'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'truefill_http_requests_in_flight',
    help: 'Requests being answered.',
    registers,
  });
  const phaseSeconds = new Histogram({
    name: 'truefill_phase_seconds',
    help: 'Time of one piece of work: verify and settle by network, engine by question, store by step, rpc by chain, vendor by name.',
    labelNames: ['phase', 'of'],
    buckets,
    registers,
  });
  const phaseEnds = new Counter({
    name: 'truefill_phase_total',
    help: 'Pieces of work by how they ended.',
    labelNames: ['phase', 'of', 'outcome'],
    registers,
  });
  const rpcRequests = new Counter({
    name: 'truefill_rpc_requests_total',
    help: 'Requests to RPC URLs. of is a chain for reads, a CAIP-2 network for payments; endpoint is the position in the configured list, from 1.',
    labelNames: ['of', 'endpoint', 'outcome'],
    registers,
  });
  const asked = new Counter({
    name: 'truefill_answers_asked_total',
    help: 'Questions to the engine: the answer stood (cache hit), was being made for somebody else (joined), or had to be made.',
    labelNames: ['of', 'answer'],
    registers,
  });
  const walletLimited = new Counter({
    name: 'truefill_wallet_limited_total',
    help: 'Paid tries refused because the wallet had had its share of the minute.',
    registers,
  });

  const toolCalls = new Counter({
    name: 'truefill_tool_calls_total',
    help: 'Calls of MCP tools, by the status that REST would have: over HTTP all of them are 200.',
    labelNames: ['tool', 'status'],
    registers,
  });
  const broken = new Counter({
    name: 'truefill_http_broken_requests_total',
    help: 'What came and could not be read as a request. One whose head was read counts as a request, too.',
    labelNames: ['how'],
    registers,
  });

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
        if (!hasAll(res)) abandoned.inc({ route });
      });
      listener(req, res);
    },
    async piece({ phase, of, endpoint }, work, { ended = () => 'ok', failed = () => 'failed' } = {}) {
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
    happened(happening) {
      if (happening.kind === 'asked') asked.inc({ of: happening.of, answer: happening.answer });
      else if (happening.kind === 'tool called') toolCalls.inc({ tool: happening.tool, status: happening.status });
      else if (happening.kind === 'broken request') broken.inc({ how: happening.how });
      else walletLimited.inc();
    },
  };
}
