import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '../rpc/nodeClient.ts';

/** Periodic mining of one local chain. */
export interface Mining {
  /** Resolves when the last block is mined. */
  pause(): Promise<void>;
  resume(): void;
}

/**
 * Mines a block every `blockMs` milliseconds, with the pending transactions. Timestamps are whole seconds of the system
 * clock, so with 200 ms five blocks share one, as on Base. anvil's own interval mining takes whole seconds only.
 *
 * A block that takes longer than the interval delays the next one; none is skipped.
 */
export function mineEvery(node: Pick<NodeClient, 'call'>, blockMs: number): Mining {
  let running: { stop: AbortController; ended: Promise<void> } | undefined;

  async function mine(signal: AbortSignal): Promise<void> {
    for (let next = performance.now(); !signal.aborted; next = Math.max(next + blockMs, performance.now())) {
      await sleep(Math.max(0, next - performance.now()), undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await node.call('evm_mine');
    }
  }

  const mining: Mining = {
    async pause() {
      running?.stop.abort();
      await running?.ended;
      running = undefined;
    },
    resume() {
      if (running) return;
      const stop = new AbortController();
      running = { stop, ended: mine(stop.signal) };
      // `pause` throws a fault of the node. Until then no caller awaits it.
      running.ended.catch(() => undefined);
    },
  };
  mining.resume();
  return mining;
}
