import type { ChainName } from './chain/chains.ts';

/** The node could not be asked, or what it sent is no JSON-RPC. Never a statement about a contract. */
export class RpcTransportError extends Error {
  override readonly name = 'RpcTransportError';
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
