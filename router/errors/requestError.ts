import type { ErrorCode } from './errorTable.ts';

/** A fault of a body. `path` is the dotted path of the field, and empty for the body itself. */
export interface Issue {
  path: string;
  message: string;
}

/** A refused request. `detail` is the error's message: the cause, with the value received, and what to do next. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly issues: readonly Issue[] | undefined;
  readonly exampleRequest: unknown;
  readonly retryAfterSeconds: number | undefined;
  /** @see ErrorBody.charged. Undefined: thrown before the payment was looked up. */
  readonly charged: boolean | null | undefined;

  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    more: {
      issues?: readonly Issue[];
      exampleRequest?: unknown;
      retryAfterSeconds?: number;
      charged?: boolean | null;
      cause?: unknown;
    } = {},
  ) {
    super(detail, more.cause === undefined ? undefined : { cause: more.cause });
    this.issues = more.issues;
    this.exampleRequest = more.exampleRequest;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.charged = more.charged;
  }
}
