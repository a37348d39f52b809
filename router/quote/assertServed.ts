import type { ChainName, Engine, Product } from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';

/**
 * Asserts, from memory, that this deployment can answer the call on the chain now. Called before any payment.
 * @throws {RequestError} UNSUPPORTED_CHAIN: no RPC node of the chain is configured
 * @throws {RequestError} UPSTREAM_UNAVAILABLE: no RPC node of the chain is available, or none can answer the call
 */
export function assertServed(chain: ChainName, engine: Pick<Engine, 'chains' | 'chainState'>, product: Product): void {
  if (!engine.chains.includes(chain)) {
    throw new RequestError(
      'UNSUPPORTED_CHAIN',
      `This deployment does not serve ${chain}. Nothing was charged. It serves: ${engine.chains.join(', ')}.`,
    );
  }
  const state = engine.chainState(chain, product);
  if (state.status === 'down') {
    const { retryAfterSeconds, reason = `No RPC node of ${chain} is available.` } = state;
    throw new RequestError(
      'UPSTREAM_UNAVAILABLE',
      `${reason} This request charged nothing. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    );
  }
}
