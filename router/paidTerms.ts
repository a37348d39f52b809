import type { Engine } from '../engine/index.ts';

/**
 * The terms of a paid procedure, stated in its definition. Gate, REST paths, OpenAPI, the 402 and the docs are
 * derived from them.
 */
export interface PaidTerms<Input = unknown> {
  /** The product: the procedure's name in `appRouter`, also for an alias. */
  product: string;
  /** Decimal US dollars per call, e.g. `0.02`. */
  priceUsd: string;
  /**
   * Procedures that share one free first call per wallet. Configuration enables a group's free call.
   */
  trialGroup: string;
  /** Further REST paths of the same endpoint as `openapi.path`. */
  aliases: readonly `/${string}`[];
  /** A valid example body, shown in errors and docs. */
  exampleRequest: Input;
  /** The answer to the example. */
  exampleAnswer: Record<string, unknown>;
  /**
   * One text for all equivalent requests: chain aliases, letter case of addresses, equal decimals. A payment is bound
   * to it.
   */
  identify(input: Input): string;
  /**
   * Called after validation and before any payment: throws when the request cannot be answered.
   * @throws {RequestError} UNSUPPORTED_CHAIN or UPSTREAM_UNAVAILABLE
   */
  beforeMoney(input: Input, engine: Pick<Engine, 'chains' | 'chainState'>): void;
  /**
   * Called just before the charge. Throws if the chain shows that the request cannot be answered, or cannot be read.
   * @throws {RequestError} INVALID_REQUEST
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  beforeCharge?(input: Input, engine: Pick<Engine, 'reach' | 'readCode'>): Promise<void>;
}

/** Fits typed terms into the router's meta. The surfaces call both checks with validated input only. */
export function paidTerms<Input>(terms: PaidTerms<Input>): PaidTerms {
  return {
    ...terms,
    identify: (input) => terms.identify(input as Input),
    beforeMoney: (input, engine) => terms.beforeMoney(input as Input, engine),
    beforeCharge: async (input, engine) => terms.beforeCharge?.(input as Input, engine),
  };
}
