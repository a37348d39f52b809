import type { ChainName } from './chain/chains.ts';

/** Details of a failure in addition to its message. */
interface TransportFacts extends ErrorOptions {
  /** `Retry-After` of the node. */
  retryAfterMs?: number;
  /** The node refused the request because there were too many. */
  limited?: boolean;
  /** The node responded, but not to the request: it may not accept batches. */
  answered?: boolean;
  /** The response exceeded the size limit: fewer or other calls may fit. */
  tooLarge?: boolean;
}

/** The node could not be reached, or its response is not JSON-RPC. Never the result of a contract call. */
export class RpcTransportError extends Error {
  override readonly name = 'RpcTransportError';
  readonly retryAfterMs: number | undefined;
  readonly limited: boolean;
  readonly answered: boolean;
  readonly tooLarge: boolean;
  constructor(message: string, facts: TransportFacts = {}) {
    const { retryAfterMs, limited = false, answered = false, tooLarge = false, ...options } = facts;
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.limited = limited;
    this.answered = answered;
    this.tooLarge = tooLarge;
  }
}

/** No RPC of the chain responds, or none can answer the call, so the request is refused before a charge. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
  constructor(
    readonly chain: ChainName,
    readonly retryAfterSeconds: number,
    { reason, ...options }: ErrorOptions & { reason?: string | undefined } = {},
  ) {
    const what = reason ?? `No RPC node of ${chain} is available.`;
    super(`${what} Try again in ${retryAfterSeconds} s.`, options);
  }
}

/** The chain responds, but the answer was not complete at its deadline. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  constructor(
    readonly chain: ChainName,
    readonly deadlineMs: number,
    options?: ErrorOptions,
  ) {
    super(`${chain} did not answer within ${deadlineMs} ms. Try again.`, options);
  }
}

/** An RPC URL serves another chain than the configured one. */
export class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
  constructor(
    readonly chain: ChainName,
    readonly endpoint: string,
    readonly expectedChainId: number,
    readonly seenChainId: number,
  ) {
    super(`${endpoint} serves chain id ${seenChainId}; ${chain} is ${expectedChainId}. Correct its RPC URL.`);
  }
}
