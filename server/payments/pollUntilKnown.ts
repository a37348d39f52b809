import { setTimeout as sleep } from 'node:timers/promises';
import { isChainError } from './chainCall.ts';
import type { PaymentLogger } from './paymentConfig.ts';

/** Pauses between polls, doubled from the first to the longest: a block of the fastest chain, and a busy node's rest. */
const firstPauseMs = 200;
const longestPauseMs = 1_000;

/**
 * Polls the chain until a result is known; continues through outages. Undefined if `signal` aborts first.
 *
 * @param read returns undefined while the result is unknown
 */
export async function pollUntilKnown<T>(
  read: () => Promise<T | undefined>,
  { signal, logger, network }: { signal: AbortSignal; logger: PaymentLogger; network: string },
): Promise<T | undefined> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const result = await read();
      if (result !== undefined) return result;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'The status of a settlement cannot be read; polling continues');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
