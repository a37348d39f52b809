import { type ChainName, type PoolIndexState, poolEventsOf, withPace } from '../engine/index.ts';
import type { Environment } from './environment.ts';
import type { ChainEndpoints } from './openEndpoints.ts';
import type { Stores } from './storage/index.ts';
import { createPoolIndexer, type PoolIndexer, type VendorFaultNotice } from './vendors/index.ts';

/** The index of pools of each served chain. */
export interface PoolIndexes {
  of: Partial<Record<ChainName, PoolIndexer>>;
  /** From memory. */
  states(): Partial<Record<ChainName, PoolIndexState>>;
  close(): Promise<void>;
}

const logEveryMs = 5_000;

interface IndexLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** Opens an index for each chain with an endpoint, unless POOL_INDEX is off. Logs each change of its state. */
export function openPoolIndexes(
  environment: Pick<Environment, 'vendors' | 'extraVenues' | 'extraV4Shapes'>,
  rpc: ChainEndpoints,
  { stores, onFault, logger }: { stores: Stores; onFault: (notice: VendorFaultNotice) => void; logger: IndexLogger },
): PoolIndexes {
  const limits = environment.vendors.pools;
  const of: PoolIndexes['of'] = {};
  for (const [chain, endpoints] of Object.entries(rpc) as [ChainName, ChainEndpoints['base']][]) {
    if (!limits || !endpoints || endpoints.length === 0) continue;
    of[chain] = createPoolIndexer({
      endpoints: endpoints.map((endpoint) => withPace(endpoint, 'patient')),
      store: stores.facts(chain).poolIndex,
      events: poolEventsOf(chain, environment),
      limits,
      onFault,
    });
  }
  const states = () =>
    Object.fromEntries(Object.entries(of).map(([chain, index]) => [chain, index.state()])) as ReturnType<
      PoolIndexes['states']
    >;
  const watch = watchPoolIndexes(states, logger);
  return {
    of,
    states,
    async close() {
      watch.close();
      await Promise.all(Object.values(of).map((index) => index.close()));
    },
  };
}

/** Logs one line for each change of a state. From memory. */
export function watchPoolIndexes(states: PoolIndexes['states'], logger: IndexLogger) {
  const reported = new Map<string, string>();
  const check = () => {
    for (const [chain, state] of Object.entries(states())) {
      const key = `${state.status} ${state.reason ?? ''}`;
      if ((reported.get(chain) ?? 'idle ') === key) continue;
      reported.set(chain, key);
      const facts = { chain, index: describePoolIndex(state) };
      if (state.status === 'failing') logger.warn(facts, 'The pool index cannot be extended: quotes may miss pools');
      else logger.info(facts, 'The state of the pool index changed');
    }
  };
  const timer = setInterval(check, logEveryMs).unref();
  return { check, close: () => clearInterval(timer) };
}

/** The state in words, for operators; undefined if no index is needed. */
export function describePoolIndex({
  status,
  percent,
  blocksLeft,
  secondsLeft,
  reason,
}: PoolIndexState): string | undefined {
  if (status === 'idle') return undefined;
  if (status === 'complete') return 'pool index complete';
  const reached = blocksLeft === undefined ? `${percent} %` : `${percent} % (${blocksLeft} blocks left)`;
  if (status === 'failing') return `pool index stopped at ${reached}: ${reason ?? 'unknown'}; tried again`;
  return `pool index ${reached}${secondsLeft === undefined ? '' : `, about ${describeSeconds(secondsLeft)} left`}`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
