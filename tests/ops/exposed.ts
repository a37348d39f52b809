import { createMetrics } from '../../server/observability/metrics/createMetrics.ts';

/** A metric in a scrape. */
export interface Exposed {
  type: string;
  /** Labels and their values. */
  labels: Map<string, Set<string>>;
}

const network = 'eip155:8453';
const node = {
  ...{ isCircuitOpen: true, failuresInARow: 2 },
  latencyMs: 5,
  headAgeMs: 300,
  isQuotersOnly: true,
  capabilities: {
    overrides: 'no' as const,
    simulation: 'no' as const,
    pastBlocks: 'no' as const,
    logRange: 1,
    maxBatch: 1,
    gasCap: 1,
    maxReplyBytes: 1,
  },
  budget: { perSecond: 1, of: 'units' as const, isLearnt: true },
  failure: 'base-1 returned HTTP 403.',
};

/** Uses every metric, and returns those of a scrape by name, including `_bucket`, `_sum` and `_count`. */
export async function exposedMetrics(): Promise<Map<string, Exposed>> {
  const metrics = createMetrics();
  metrics.observeState({
    mode: 'live',
    engine: {
      chains: ['base'],
      chainState: () => ({ status: 'down', retryAfterSeconds: 1 }),
      nodeStates: () => [{ position: 1, ...node }],
    },
    poolIndexes: () => ({
      base: { status: 'scanning', blocksLeft: 1, target: 2, percent: 50, secondsLeft: 1, reason: undefined },
    }),
    logSearches: () => ({ running: 1, waiting: 0 }),
    settlement: () => ({ [network]: 'ok' }),
    gasLeft: () => ({ [network]: { state: 'ok', settlements: 1n } }),
    queues: () => ({ [network]: { length: 1, oldestMs: 1 } }),
    isDraining: () => true,
    readOpenPayments: async () =>
      (['claimed', 'sent', 'settled'] as const).flatMap((state) =>
        [true, false].map((isFree) => ({ network, state, isFree, payments: 1, oldestAt: 0 })),
      ),
    now: Date.now,
  });
  for (const phase of ['verify', 'settle', 'engine', 'store', 'rpc', 'vendor'] as const) {
    await metrics.instrumentation.span({ phase, of: 'x', endpoint: 1 }, async () => undefined);
  }
  const { record } = metrics.instrumentation;
  record({ kind: 'lookup', of: 'quote', answer: 'miss' });
  record({ kind: 'wallet limited' });
  record({ kind: 'tool called', tool: 'quote', status: 500 });
  record({ kind: 'broken request', how: 'not http' });
  record({ kind: 'transaction sent', network, payments: 3 });
  for (const kind of ['gas paid', 'gas lost'] as const) record({ kind, network, usd: 0.001 });
  record({ kind: 'payment settled', network, paid: 'quote', usd: 0.02 });
  record({ kind: 'payment refused', network, reason: 'insufficient_funds' });
  record({ kind: 'payment lost', network });
  record({ kind: 'log search ended', end: 'complete' });
  const res = Object.assign(new EventTarget(), {
    once: (_event: string, closed: () => void) => closed(),
    headersSent: true,
    req: { aborted: false },
    statusCode: 500,
    writableFinished: false,
  });
  metrics.instrumentation.request(() => undefined)({ url: '/v1/quote', method: 'POST' } as never, res as never);

  const found = new Map<string, Exposed>();
  let type = '';
  for (const line of (await metrics.scrape()).split('\n')) {
    const kind = /^# TYPE (\S+) (\S+)/.exec(line);
    if (kind) {
      type = kind[2] ?? '';
      found.set(kind[1] ?? '', { type, labels: new Map() });
    }
    const series = /^([a-zA-Z_:]+[\w:]*)(?:\{(.*)\})? \S+$/.exec(line);
    if (!series || line.startsWith('#')) continue;
    const known = found.get(series[1] ?? '') ?? { type, labels: new Map<string, Set<string>>() };
    found.set(series[1] ?? '', known);
    for (const [, label = '', value = ''] of (series[2] ?? '').matchAll(/(\w+)="([^"]*)"/g)) {
      known.labels.set(label, (known.labels.get(label) ?? new Set()).add(value));
    }
  }
  return found;
}
