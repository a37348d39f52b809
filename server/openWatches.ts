import type { Logger } from 'pino';
import type { Engine } from '../engine/index.ts';
import { watchClock } from './clockWatch.ts';
import type { Config } from './config/index.ts';
import type { ChainEndpoints } from './openEndpoints.ts';
import { watchDeployments } from './watchDeployments.ts';
import { watchNodes } from './watchNodes.ts';

/** The watches that run beside requests: the clock, the nodes and the executor. */
export function openWatches(
  { config, logger, now }: { config: Pick<Config, 'mode'>; logger: Logger; now: () => number },
  rpc: ChainEndpoints,
  engine: Engine,
) {
  const clock = watchClock({
    // The sandbox mines on demand, so the age of its blocks has no meaning.
    chains: config.mode === 'live' ? Object.values(rpc) : [],
    now,
    onChange: (skew) =>
      skew
        ? logger.warn(
            skew,
            'The clock of this machine differs from the time of the chains: payments are refused as expired or not yet valid. Synchronise it (NTP)',
          )
        : logger.info('The clock of this machine agrees with the chains again'),
  });
  const nodes = watchNodes(engine, logger);
  const deployments = watchDeployments(engine, logger);
  return {
    /** Awaited in the sandbox only: a live node may need seconds. */
    executorsRead: deployments.first,
    clockSkew: clock.skew,
    close() {
      clock.close();
      nodes.close();
      deployments.close();
    },
  };
}
