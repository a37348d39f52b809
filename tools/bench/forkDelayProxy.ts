import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DelayProxy } from './delayProxy.ts';
import type { ProxyCommand } from './delayProxyProcess.ts';

export interface ForkedDelayProxy {
  url: string;
  setDelay(delayMs: number): Promise<void>;
  /** See `DelayProxy.seen`. */
  readSeen(): Promise<DelayProxy['seen']>;
  close(): Promise<void>;
}

/**
 * Starts a delay proxy in its own process. In the measured process, the engine's work would delay the proxy's bytes,
 * and the proxy's CPU time would count as the engine's.
 *
 * @param target URL of a node's RPC
 */
export async function forkDelayProxy(target: string): Promise<ForkedDelayProxy> {
  const child = fork(join(import.meta.dirname, 'delayProxyProcess.ts'), [target], { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  const send = async (command: ProxyCommand) => {
    const reply = once(child, 'message');
    child.send(command);
    return (await reply)[0] as DelayProxy['seen'];
  };
  return {
    url,
    setDelay: async (delayMs) => void (await send({ delayMs })),
    readSeen: () => send({}),
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
