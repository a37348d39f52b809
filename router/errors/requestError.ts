import type { ErrorCode } from './errorTable.ts';

/** One issue of a body. `path` is dotted, and empty for the body itself. */
export interface Issue {
  path: string;
  message: string;
}

/** A rejected request. The message states what was received and what to do. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly issues: readonly Issue[] | undefined;
  readonly exampleRequest: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    more: { issues?: readonly Issue[]; exampleRequest?: unknown; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.issues = more.issues;
    this.exampleRequest = more.exampleRequest;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
