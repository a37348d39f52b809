import type { Engine } from '../engine/index.ts';

/**
 * What a paid procedure states about itself, in its own definition. Gate, REST paths, OpenAPI, the
 * 402 and the docs are computed from it; nothing about it is written down twice.
 */
export interface PaidTerms<Input = unknown> {
  /** The product that a payment buys: the procedure's name in `appRouter`, also for an alias. */
  product: string;
  /** Decimal US dollars per call, e.g. `0.02`. */
  priceUsd: string;
  /**
   * Whose calls share one free first call per wallet. Whether a group has one at all is configured.
   */
  trialGroup: string;
  /** Further REST paths that are the same endpoint as `openapi.path`. */
  aliases: readonly `/${string}`[];
  /** A body that can be sent as it stands; shown in errors and in the docs. */
  exampleRequest: Input;
  /** What such a body is answered. */
  exampleAnswer: Record<string, unknown>;
  /**
   * One text for all spellings of a question: chain aliases, letter case of addresses, equal decimals. A payment is bound
   * to it.
   */
  identify(input: Input): string;
  /**
   * Checked after the schema and before any money: throws when an answer cannot come.
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
