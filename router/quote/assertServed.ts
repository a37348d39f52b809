import type { ChainName, Engine } from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';

/**
 * Asserts, from memory, that this deployment can read the chain now. Called before any payment.
 * @throws {RequestError} UNSUPPORTED_CHAIN: no RPC node of the chain is configured
 * @throws {RequestError} UPSTREAM_UNAVAILABLE: no RPC node of the chain is available
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
      `No RPC node of ${chain} is available. This request charged nothing. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
}
