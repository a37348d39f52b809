import type { Engine } from '../engine/index.ts';

/** The engine decides which chains are due: each minute where the executor is missing, every ten where it is deployed. */
const intervalMs = 30_000;

/** Keeps the states of the executor fresh, apart from requests. Logs each change. */
export function watchExecutors(
  engine: Pick<Engine, 'chains' | 'executorState' | 'refreshExecutors'>,
  logger: { info(facts: object, message: string): void },
) {
  const reported = new Map<string, string>();
  const check = async () => {
    await engine.refreshExecutors();
    for (const chain of engine.chains) {
      const state = engine.executorState(chain);
      if (reported.get(chain) === state) continue;
      reported.set(chain, state);
      logger.info({ chain, executor: state }, 'State of the executor');
    }
  };
  const first = check();
  const timer = setInterval(() => void check(), intervalMs).unref();
  return { first, close: () => clearInterval(timer) };
}
