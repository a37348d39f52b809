import type { LowerAddress } from '../../lowerAddress.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { type Sample, toSampledCurve } from '../../venues/sampledCurve.ts';
import type { ChainData } from '../chainData.ts';
import type { Round } from '../plan/choosePlan.ts';
import { toFill } from '../plan/decodeExecution.ts';
import type { PlanExecution, PlanRequest } from '../plan/executionTypes.ts';
import { searchFor } from '../plan/searchFor.ts';
import type { FilledPlan, Order, Plan, RememberedPlan } from '../search/planTypes.ts';
import type { SearchResult } from '../search/searchPlan.ts';
import { isSingle } from '../search/toPlan.ts';
import { netGainBps } from '../search/worthSplitting.ts';
import { hasRefuted, isRefuted, type Refuted, refutedBy } from './refutedPools.ts';

/** Searches with curves. Each executes one plan, which refutes a pool or improves the curves. */
const maxRounds = 6;
/** A pool that pays this many basis points less than its curve is left out, even if its samples still fit a curve. */
const maxErrorBps = 100n;

const isOpaquePlan = ({ pools }: Pick<StateReading, 'pools'>, { legs }: Pick<Plan, 'legs'>): boolean => {
  const opaque = opaqueIn(pools);
  return legs.some(({ pool }) => opaque.has(pool.id));
};

const opaqueIn = (pools: readonly Pool[]) =>
  new Set(pools.flatMap(({ ref, state }) => (state.kind === 'opaque' ? ref.id : [])));

/** The executions of a part of the order over an opaque pool, and all others. */
export function splitSamples(states: StateReading, { amountIn }: Order, executions: readonly PlanExecution[]) {
  const isSample = ({ plan }: PlanExecution) => plan.amountIn < amountIn && isOpaquePlan(states, plan);
  return { samples: executions.filter(isSample), others: executions.filter((execution) => !isSample(execution)) };
}

export const sampleRequests = ({ samples }: SearchResult): PlanRequest[] =>
  samples.map((plan) => ({ plan, isSample: true }));

interface SampledMarket {
  data: Pick<ChainData, 'deployment'>;
  states: StateReading;
  /** The order, after a tax on tokenIn. */
  sold: Order;
  /** The pools of the last search. */
  pools: readonly Pool[];
  listed: ReadonlySet<LowerAddress>;
  /** Executions of parts of the order, and of whole orders, at the same block. */
  samples: readonly PlanExecution[];
  executions: readonly PlanExecution[];
}

interface SampledRounds {
  rounds: Round[];
  /** Plans whose executions refuted a pool: it paid less than its samples promise. */
  liars: Plan[];
  /** The other executed splits over opaque pools, the latest first. */
  splits: Plan[];
}

/** Further splits to remember. Without them, each quote would execute again what its samples promise and no pool pays. */
const maxFurtherSplits = 2;

/** @param best the answer's plan */
export function toRemembered(
  { liars, splits }: Pick<SampledRounds, 'liars' | 'splits'>,
  best: Plan | undefined,
): RememberedPlan[] {
  const further = splits.filter((plan) => plan !== best).slice(0, maxFurtherSplits);
  return [
    ...splits.flatMap((plan) => (plan === best ? { plan, isBest: true } : [])),
    ...[...liars, ...further].map((plan) => ({ plan, isBest: false })),
  ];
}

/**
 * Splits the order over the opaque pools too, whose curves come from their executed samples. The execution of the plan is
 * the proof: its amounts become samples, and a pool that pays less than its curve is left out.
 * @param run executes the plans of a search
 * @returns no rounds if no such plan promises more than the executed ones
 */
export async function searchSampled(
  { data, states, sold, listed, ...market }: SampledMarket,
  run: (result: SearchResult, done: readonly PlanExecution[]) => Promise<Round>,
): Promise<SampledRounds> {
  const found: SampledRounds = { rounds: [], liars: [], splits: [] };
  const executions = [...market.executions];
  const isSplit = ({ plan }: PlanExecution) => !isSingle(plan) && isOpaquePlan(states, plan);
  const known = [...market.samples, ...executions.filter((execution) => !isSplit(execution))];
  let { pools } = market;
  /** Adds the amounts of an execution to the samples, or leaves out the pools that it refutes. */
  const learn = (execution: PlanExecution) => {
    const refuted = refutedIn(execution, states.pools, withCurves(pools, known) ?? pools, listed);
    if (!hasRefuted(refuted)) {
      if (!isSingle(execution.plan)) found.splits.unshift(execution.plan);
      known.push(execution);
      return;
    }
    found.liars.push(execution.plan);
    pools = pools.filter(({ ref }) => !isRefuted(refuted, ref));
  };
  for (const execution of executions.filter(isSplit)) learn(execution);
  while (found.rounds.length < maxRounds) {
    const sampled = withCurves(pools, known);
    if (!sampled) break;
    const result = { ...searchFor(data, states, sold, sampled), opaque: [], samples: [] };
    const { best } = result;
    if (!best || !isOpaquePlan(states, best.plan) || !gains(best, executions, sold)) break;
    const round = await run({ ...result, single: undefined, runnerUp: undefined }, executions);
    found.rounds.push(round);
    executions.push(...round.executions);
    for (const execution of round.executions) learn(execution);
    if (round.executions.length === 0) break;
  }
  return found;
}

/** Whether a computed plan pays enough more than all executed ones to be executed. */
function gains({ amountOut }: FilledPlan, executions: readonly PlanExecution[], { amountIn }: Order): boolean {
  const most = amountOut * 10_000n;
  const whole = executions.filter(({ plan }) => plan.amountIn >= amountIn);
  return whole.every((execution) => most > nominalOf(execution) * (10_000n + netGainBps));
}

/** The tokenOut that the pools paid, before its tax. */
function nominalOf(execution: PlanExecution): bigint {
  if (!toFill(execution)) return 0n;
  const { plan, run } = execution;
  return plan.legs.reduce(
    (sum, leg, at) => (leg.tokenOut === plan.tokenOut ? sum + (run.legs[at]?.nominal ?? 0n) : sum),
    0n,
  );
}

/** The pools with curves for those that were sampled; undefined if there is none. */
function withCurves(pools: readonly Pool[], executions: readonly PlanExecution[]): Pool[] | undefined {
  const samples = samplesOf(pools, executions);
  let found = false;
  const sampled = pools.map((pool): Pool => {
    if (pool.state.kind !== 'opaque') return pool;
    const { id, token0, token1 } = pool.ref;
    const curveOf = (token: LowerAddress) => toSampledCurve(samples.get(`${id}${token}`) ?? []);
    const curves = [curveOf(token0), curveOf(token1)] as const;
    if (!curves[0] && !curves[1]) return pool;
    found = true;
    return { ...pool, state: { ...pool.state, curves } };
  });
  return found ? sampled : undefined;
}

/** The executed swaps of opaque pools, by pool and token sold. */
function samplesOf(pools: readonly Pool[], executions: readonly PlanExecution[]): Map<string, Sample[]> {
  const opaque = opaqueIn(pools);
  const samples = new Map<string, Sample[]>();
  for (const { plan, run } of executions) {
    if (run.status === 'unfunded' || run.status === 'not-run') continue;
    const executed = run.status === 'filled' ? plan.legs.length : (run.failedLeg ?? 0);
    for (const [at, { pool, tokenIn }] of plan.legs.entries()) {
      const moved = run.legs[at];
      if (!moved || at >= executed || moved.arrived === 0n || !opaque.has(pool.id)) continue;
      const key = `${pool.id}${tokenIn}`;
      const sample = { amountIn: Number(moved.arrived), amountOut: Number(moved.nominal) };
      samples.set(key, [...(samples.get(key) ?? []), sample]);
    }
  }
  return samples;
}

/** The pools and tokens that an execution refutes: by their states, or because a pool paid much less than its curve. */
function refutedIn(
  execution: PlanExecution,
  pools: readonly Pool[],
  sampled: readonly Pool[],
  listed: ReadonlySet<LowerAddress>,
): Refuted {
  const { plan, run } = execution;
  const refuted = refutedBy([{ result: { opaque: [] }, executions: [execution] }], pools, listed);
  if (run.status !== 'filled') return refuted;
  const states = new Map(sampled.map(({ ref, state }) => [ref.id, state]));
  const paidLess = plan.legs.filter(({ pool, tokenIn }, at) => {
    const [state, moved] = [states.get(pool.id), run.legs[at]];
    const curve = state?.kind === 'opaque' ? state.curves?.[tokenIn === pool.token0 ? 0 : 1] : undefined;
    const computed = curve && moved ? BigInt(Math.floor(curve.pay(Number(moved.arrived)))) : 0n;
    return moved && moved.nominal * 10_000n < computed * (10_000n - maxErrorBps);
  });
  return { ...refuted, pools: new Set([...refuted.pools, ...paidLess.map(({ pool }) => pool.id)]) };
}
