import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DelayLine } from './delayLine.ts';
import type { LineOrder } from './delayLineProcess.ts';

export interface ForkedDelayLine {
  url: string;
  setDelay(delayMs: number): Promise<void>;
  /** See `DelayLine.seen`. */
  readSeen(): Promise<DelayLine['seen']>;
  close(): Promise<void>;
}

/**
 * Starts a delay line in a process of its own. In the measured process, work done while a request is under way would
 * delay the line's bytes, and the line's CPU time would count as the service's.
 *
 * @param target URL of a node's RPC
 */
export async function forkDelayLine(target: string): Promise<ForkedDelayLine> {
  const child = fork(join(import.meta.dirname, 'delayLineProcess.ts'), [target], { execArgv: ['--import', 'tsx'] });
  const [url] = (await once(child, 'message')) as [string];
  const send = async (order: LineOrder) => {
    const reply = once(child, 'message');
    child.send(order);
    return (await reply)[0] as DelayLine['seen'];
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
