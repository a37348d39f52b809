import { setTimeout as sleep } from 'node:timers/promises';
import { isChainError } from './chainCall.ts';
import type { PaymentLogger } from './paymentConfig.ts';

/** Between two polls, and after a node failed. */
const pauseMs = 1_000;

/**
 * Polls the chain until it returns a result; waits through outages. Undefined when `signal` fires first.
 *
 * @param look returns undefined while the result is unknown
 */
export async function pollUntilKnown<T>(
  look: () => Promise<T | undefined>,
  { signal, logger, network }: { signal: AbortSignal; logger: PaymentLogger; network: string },
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      const result = await look();
      if (result !== undefined) return result;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isChainError(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A settlement cannot be followed now');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
