import { Gauge, type Registry } from 'prom-client';
import type { NodeCapabilities } from '../../../engine/index.ts';
import { serviceVersion } from '../../../router/index.ts';
import { settlementObstacles } from '../../payments/index.ts';
import { DatabaseUnavailableError, type OpenPayments } from '../../storage/index.ts';
import { shareRunning } from '../../time/shareRunning.ts';
import type { MetricSources } from './metricSources.ts';

const chainStates = ['ok', 'degraded', 'down'] as const;
const gasStates = ['ok', 'low', 'empty', 'unread', 'elsewhere'] as const;
const paymentStates = ['claimed', 'sent', 'credit', 'free'] as const;

/** Timeout of a scrape's store query. */
const storeDeadlineMs = 1_000;

function gaugeFactory(register: Registry) {
  return <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) => {
    const gauge = new Gauge<Label>({ name: `truefill_${name}`, help, labelNames, registers: [register] });
    // prom-client starts a gauge without labels at 0, which would report an outage until the first refresh.
    if (labelNames.length === 0) gauge.remove();
    return gauge;
  };
}

type GaugeFactory = ReturnType<typeof gaugeFactory>;

/** Undefined: not known. */
function knownOf({ overrides, simulation, pastBlocks, logRange }: NodeCapabilities) {
  const toBoolean = (known: string) => (known === 'unknown' ? undefined : known !== 'no');
  return {
    overrides: toBoolean(overrides),
    simulation: toBoolean(simulation),
    past_blocks: toBoolean(pastBlocks),
    logs: logRange === undefined ? undefined : logRange > 0,
  };
}

const indexStates = ['idle', 'scanning', 'complete', 'failing'] as const;

/** States and progress of the pool indexes, and the searches in token logs. */
function poolIndexGauges(gauge: GaugeFactory): (sources: MetricSources) => void {
  const state = gauge('pool_index_state', '1 for the current state of the pool index.', ['chain', 'state']);
  const blocksLeft = gauge('pool_index_blocks_left', 'Settled blocks that the pool index lacks.', ['chain']);
  const secondsLeft = gauge('pool_index_seconds_left', 'Time until the pool index is complete.', ['chain']);
  const searches = gauge('log_searches', "Background searches in tokens' logs: running or waiting.", ['state']);
  return ({ poolIndexes, logSearches }) => {
    for (const [name, count] of Object.entries(logSearches())) searches.set({ state: name }, count);
    secondsLeft.reset();
    for (const [chain, index] of Object.entries(poolIndexes())) {
      for (const one of indexStates) state.set({ chain, state: one }, Number(index.status === one));
      if (index.blocksLeft !== undefined) blocksLeft.set({ chain }, index.blocksLeft);
      if (index.secondsLeft !== undefined) secondsLeft.set({ chain }, index.secondsLeft);
    }
  };
}

/** States of the chains and their RPC nodes. */
function chainGauges(gauge: GaugeFactory): (sources: MetricSources) => void {
  const chain = gauge('chain_state', '1 for the current state of the chain.', ['chain', 'state']);
  const circuitOpen = gauge('rpc_circuit_open', '1 while the circuit of the RPC URL is open.', ['chain', 'endpoint']);
  const failures = gauge('rpc_failures_in_a_row', 'Failures since the last success.', ['chain', 'endpoint']);
  const latency = gauge('rpc_latency_seconds', 'Smoothed response time.', ['chain', 'endpoint']);
  const headAge = gauge('rpc_head_age_seconds', 'Age of the latest block when it was requested.', [
    'chain',
    'endpoint',
  ]);
  const quotersOnly = gauge('rpc_quoters_only', '1 when the node cannot run the lens.', ['chain', 'endpoint']);
  const capability = gauge(
    'rpc_capability',
    '1 if the node has the capability (overrides, simulation, past_blocks, logs), 0 if it refused it. Absent: not known.',
    ['chain', 'endpoint', 'capability'],
  );
  const budget = gauge(
    'rpc_budget_per_second',
    'Units or calls that the endpoint accepts; absent: no limit is known.',
    ['chain', 'endpoint', 'of'],
  );

  return ({ engine }) => {
    capability.reset();
    budget.reset();
    for (const name of engine.chains) {
      const { status } = engine.chainState(name);
      for (const state of chainStates) chain.set({ chain: name, state }, Number(status === state));
      for (const node of engine.nodeStates(name)) {
        const labels = { chain: name, endpoint: node.position };
        circuitOpen.set(labels, Number(node.isCircuitOpen));
        failures.set(labels, node.failuresInARow);
        quotersOnly.set(labels, Number(node.isQuotersOnly));
        for (const [of, has] of Object.entries(knownOf(node.capabilities)))
          if (has !== undefined) capability.set({ ...labels, capability: of }, Number(has));
        if (node.budget) budget.set({ ...labels, of: node.budget.of }, node.budget.perSecond);
        if (node.latencyMs !== undefined) latency.set(labels, node.latencyMs / 1000);
        if (node.headAgeMs !== undefined) headAge.set(labels, node.headAgeMs / 1000);
      }
    }
  };
}

/** Gas of the settling accounts and payments that wait to be sent. */
function settlementGauges(gauge: GaugeFactory): (sources: MetricSources) => void {
  const gas = gauge('gas_state', '1 for the current gas state of the settling account.', ['network', 'state']);
  const gasLeft = gauge('gas_settlements_left', 'Settlements that the gas of the settling account covers.', [
    'network',
  ]);
  const withdrawn = gauge('network_withdrawn', '1 while payments cannot settle on the network for this reason.', [
    'network',
    'reason',
  ]);
  const queueLength = gauge('settlement_queue_payments', 'Payments that wait to be sent.', ['network']);
  const queueOldest = gauge('settlement_queue_oldest_seconds', 'Age of the oldest payment that waits.', ['network']);

  return (sources) => {
    gasLeft.reset();
    for (const [network, { state: now, settlements }] of Object.entries(sources.gasLeft())) {
      for (const state of gasStates) gas.set({ network, state }, Number(now === state));
      if (settlements !== undefined) gasLeft.set({ network }, Number(settlements));
    }
    for (const [network, state] of Object.entries(sources.settlement())) {
      for (const reason of settlementObstacles) withdrawn.set({ network, reason }, Number(state === reason));
    }
    for (const [network, { length, oldestMs }] of Object.entries(sources.queues())) {
      queueLength.set({ network }, length);
      queueOldest.set({ network }, oldestMs / 1000);
    }
  };
}

/** Unfinished payments in the store. Scrapes that overlap share one query. */
function paymentGauges(gauge: GaugeFactory, read: () => Promise<OpenPayments[] | undefined>) {
  const storeUp = gauge('store_up', '1 when the store answered this scrape in time.');
  const open = gauge(
    'payments_open',
    'Unfinished payments: claimed, sent, credit (paid, not answered yet) or free (free call, not answered yet).',
    ['network', 'state'],
  );
  const oldest = gauge('payments_open_oldest_seconds', 'Age of the oldest unfinished payment.', ['network', 'state']);
  const readShared = shareRunning(storeDeadlineMs, async () => {
    try {
      return await read();
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) return undefined;
      throw error;
    }
  });

  return async ({ gasLeft, now }: MetricSources): Promise<void> => {
    const rows = await readShared();
    open.reset();
    oldest.reset();
    storeUp.set(rows ? 1 : 0);
    if (!rows) return;
    for (const network of Object.keys(gasLeft())) {
      for (const state of paymentStates) open.set({ network, state }, 0);
    }
    for (const { network, state, isFree, payments, oldestAt } of rows) {
      const labels = { network, state: state === 'settled' ? (isFree ? 'free' : 'credit') : state };
      open.set(labels, payments);
      oldest.set(labels, Math.max(0, now() - oldestAt) / 1000);
    }
  };
}

/** Metrics of the state at the time of a scrape. An unknown value has no sample; it is never 0. */
export function createStateMetrics(register: Registry) {
  let sources: MetricSources | undefined;
  const gauge = gaugeFactory(register);
  const info = gauge('build_info', 'Always 1; the labels contain version and mode.', ['version', 'mode']);
  const draining = gauge('draining', '1 while the process finishes running work and rejects new work.');
  const observeChains = chainGauges(gauge);
  const observeIndexes = poolIndexGauges(gauge);
  const observeSettlements = settlementGauges(gauge);
  const observePayments = paymentGauges(gauge, async () => sources?.readOpenPayments());

  return {
    observeState(from: MetricSources): void {
      sources = from;
      info.set({ version: serviceVersion, mode: from.mode }, 1);
    },
    async refresh(): Promise<void> {
      if (!sources) return;
      draining.set(Number(sources.isDraining()));
      observeChains(sources);
      observeIndexes(sources);
      observeSettlements(sources);
      await observePayments(sources);
    },
  };
}
