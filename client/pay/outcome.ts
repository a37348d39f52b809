import { type ErrorBody, RequestRefusedError, UnavailableError } from '../errors.ts';
import { isRecord } from './isRecord.ts';
import type { Attempt } from './send.ts';

export type Response = Extract<Attempt, { kind: 'response' }>;

/**
 * `charged` as the service reports it: `false` if it did not charge the payment and will not unless it is sent again, null if
 * the response does not contain it. It chooses the next step, and never releases the spend limit.
 */
export function chargedOf(attempt: Attempt): boolean | null {
  if (attempt.kind === 'lost' || !isErrorBody(attempt.body)) return null;
  return typeof attempt.body.charged === 'boolean' ? attempt.body.charged : null;
}

/** Whether the response is a final refusal by the service itself and not by a proxy. */
export function isRefusal({ status, body }: Response): boolean {
  return status >= 400 && status < 500 && status !== 429 && isErrorBody(body);
}

export function toRefusal(response: Response, more = ''): Error {
  const body = toErrorBody(response);
  return response.status >= 500 || response.status === 429
    ? new UnavailableError(`${body.code}: ${body.detail}${more}`, { body })
    : new RequestRefusedError(body);
}

export function toErrorBody({ status, body }: Response): ErrorBody {
  if (isErrorBody(body)) return { ...body, status };
  return {
    code: 'UNKNOWN',
    status,
    detail: `The service returned ${status} without an error body. Is this the address of a truefill service?`,
  };
}

function isErrorBody(body: unknown): body is ErrorBody {
  return isRecord(body) && typeof body.code === 'string' && typeof body.detail === 'string';
}
