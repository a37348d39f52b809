import { setTimeout as sleep } from 'node:timers/promises';
import type { PaymentLogger } from './cashierConfig.ts';
import { isChainTrouble } from './chainCall.ts';

/** Between two looks, and after a node failed us. */
const pauseMs = 1_000;

/**
 * Asks the chain until it tells; an outage is waited out. Undefined when `signal` fires first.
 *
 * @param look undefined: not to be told yet.
 */
export async function untilTold<T>(
  look: () => Promise<T | undefined>,
  { signal, logger, network }: { signal: AbortSignal; logger: PaymentLogger; network: string },
): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      const told = await look();
      if (told !== undefined) return told;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isChainTrouble(error)) throw error;
      logger.warn({ network, cause: error.message }, 'A settlement cannot be followed now');
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
