import type { Engine } from '../engine/index.ts';

/**
 * The terms of a paid procedure, stated in its definition. The payment gate, the REST paths, OpenAPI, the 402 and the
 * documentation are derived from them.
 */
export interface PaidTerms<Input = unknown> {
  /** The procedure's name in `appRouter`. Aliases have the name of their canonical procedure. */
  product: string;
  /** Decimal US dollars per call, e.g. `0.02`. */
  priceUsd: string;
  /** The group of procedures that share one free first call per wallet. Configuration enables it per group. */
  trialGroup: string;
  /** Other REST paths of the same endpoint as `openapi.path`. */
  aliases: readonly `/${string}`[];
  /** A valid example body, shown in errors and docs. */
  exampleRequest: Input;
  /** The answer to the example. */
  exampleAnswer: Record<string, unknown>;
  /**
   * The key that a payment is bound to. Equal for equivalent requests: chain aliases, letter case of addresses, equal
   * decimals.
   */
  identify(input: Input): string;
  /**
   * Called after validation and before any payment. Throws if the request cannot be answered.
   * @throws {RequestError} UNSUPPORTED_CHAIN or UPSTREAM_UNAVAILABLE
   */
  beforePayment(input: Input, engine: Pick<Engine, 'chains' | 'chainState'>): void;
  /**
   * Called just before the charge.
   * @throws {RequestError} INVALID_REQUEST: the chain shows that the request cannot be answered
   * @throws {ChainUnavailableError | DeadlineExceededError} the chain cannot be read
   */
  beforeCharge?(input: Input, engine: Pick<Engine, 'reach' | 'readCode'>): Promise<void>;
  /** Called while a verified payment settles. Begins the reads of the answer; must not throw. */
  prepare?(input: Input, engine: Pick<Engine, 'prepare'>): void;
}

/** Erases the input type, as the router's meta requires. Safe because every caller validates the input first. */
export function paidTerms<Input>(terms: PaidTerms<Input>): PaidTerms {
  return {
    ...terms,
    identify: (input) => terms.identify(input as Input),
    beforePayment: (input, engine) => terms.beforePayment(input as Input, engine),
    prepare: (input, engine) => terms.prepare?.(input as Input, engine),
    beforeCharge: async (input, engine) => terms.beforeCharge?.(input as Input, engine),
  };
}
