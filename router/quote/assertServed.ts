import type { ChainName, Engine } from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';

/**
 * Rejects a request that cannot be answered, before any payment. Makes no request itself.
 * @throws {RequestError} UNSUPPORTED_CHAIN when this deployment has no RPC of the chain,
 * UPSTREAM_UNAVAILABLE when its circuit is open.
 */
export function assertServed(chain: ChainName, engine: Pick<Engine, 'chains' | 'chainState'>): void {
  if (!engine.chains.includes(chain)) {
    throw new RequestError(
      'UNSUPPORTED_CHAIN',
      `This deployment does not serve ${chain}. Nothing was charged. It serves: ${engine.chains.join(', ')}.`,
    );
  }
  const state = engine.chainState(chain);
  if (state.status === 'down') {
    const { retryAfterSeconds } = state;
    throw new RequestError(
      'UPSTREAM_UNAVAILABLE',
      `No RPC node of ${chain} is available. Nothing was charged. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
}
