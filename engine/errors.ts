import type { ChainName } from './chain/chains.ts';

/** What an endpoint knows about its failure beyond the words. */
interface TransportFacts extends ErrorOptions {
  /** How long the node asks to be left alone (`Retry-After`). */
  retryAfterMs?: number;
  /** It was reached and answered something that is not what was asked: perhaps it takes no batches. */
  answered?: boolean;
  /** The response exceeded the size limit: fewer or other calls may fit. */
  tooLarge?: boolean;
}

/** The node could not be asked, or what it sent is no JSON-RPC. Never a statement about a contract. */
export class RpcTransportError extends Error {
  override readonly name = 'RpcTransportError';
  readonly retryAfterMs: number | undefined;
  readonly answered: boolean;
  readonly tooLarge: boolean;
  constructor(message: string, { retryAfterMs, answered = false, tooLarge = false, ...options }: TransportFacts = {}) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.answered = answered;
    this.tooLarge = tooLarge;
  }
}

/** No RPC of the chain answers: nobody may be charged for an answer that cannot come. */
export class ChainUnavailableError extends Error {
  override readonly name = 'ChainUnavailableError';
  constructor(
    readonly chain: ChainName,
    readonly retryAfterSeconds: number,
    options?: ErrorOptions,
  ) {
    super(`No RPC of ${chain} answers right now. Try again in ${retryAfterSeconds} s.`, options);
  }
}

/** The chain answers, but not within the time that an answer may take. */
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

/** An RPC URL belongs to another chain than it is configured for. */
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
