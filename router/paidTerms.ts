import type { Engine } from '../engine/index.ts';

/**
 * The terms of a paid procedure, stated in its definition. The payment gate, the REST paths, OpenAPI, the 402 and the
 * documentation are derived from them.
 */
export interface PaidTerms<Input = unknown, Query = unknown> {
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
   * Converts a validated input to the query of the call, once for each request. The other terms and the procedure use the
   * query.
   * @throws {RequestError} UNSUPPORTED_CHAIN
   */
  toQuery(input: Input): Query;
  /**
   * The key that a payment is bound to. Equal for equivalent requests: chain aliases, letter case of addresses, equal
   * decimals.
   */
  identify(query: Query): string;
  /**
   * Called after validation and before any payment. Throws if the request cannot be answered.
   * @throws {RequestError} UNSUPPORTED_CHAIN or UPSTREAM_UNAVAILABLE
   */
  beforePayment(query: Query, engine: Pick<Engine, 'chains' | 'chainState'>): void;
  /**
   * Called just before the charge.
   * @throws {RequestError} INVALID_REQUEST: the chain shows that the request cannot be answered
   * @throws {ChainUnavailableError | DeadlineExceededError} the chain cannot be read
   */
  beforeCharge?(query: Query, engine: Pick<Engine, 'reach' | 'readCode'>): Promise<void>;
  /** Called while a verified payment settles. Begins the reads of the answer; must not throw. */
  prepare?(query: Query, engine: Pick<Engine, 'prepare'>): void;
}

/** Erases the types, as the router's meta requires. Safe because every caller validates the input and passes its query. */
export function paidTerms<Input, Query>(terms: PaidTerms<Input, Query>): PaidTerms {
  return {
    ...terms,
    toQuery: (input) => terms.toQuery(input as Input),
    identify: (query) => terms.identify(query as Query),
    beforePayment: (query, engine) => terms.beforePayment(query as Query, engine),
    prepare: (query, engine) => terms.prepare?.(query as Query, engine),
    beforeCharge: async (query, engine) => terms.beforeCharge?.(query as Query, engine),
  };
}
