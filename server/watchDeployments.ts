import type { Engine } from '../engine/index.ts';

/** The engine decides which chains are due: each minute where contracts are missing, every ten where they are deployed. */
const intervalMs = 30_000;

/** Keeps the states of the executor and the lenses fresh, apart from requests. Logs each change. */
export function watchDeployments(
  engine: Pick<Engine, 'chains' | 'executorState' | 'lensState' | 'refreshDeployments'>,
  logger: { info(facts: object, message: string): void },
) {
  const reported = new Map<string, string>();
  const check = async () => {
    await engine.refreshDeployments();
    for (const chain of engine.chains) {
      const states = { executor: engine.executorState(chain), lenses: engine.lensState(chain) };
      const key = Object.values(states).join();
      if (reported.get(chain) === key) continue;
      reported.set(chain, key);
      logger.info({ chain, ...states }, 'State of the deployed contracts');
    }
  };
  const first = check();
  const timer = setInterval(() => void check(), intervalMs).unref();
  return { first, close: () => clearInterval(timer) };
}
