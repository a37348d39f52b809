import { type ErrorCode, errorTable, isErrorCode, type PaidItem, RequestError } from '../../router/index.ts';
import type { Admission } from '../payment/index.ts';

type Refusal = Extract<Admission, { kind: 'refuse' }>;

const codeByStatus: Record<Refusal['status'], ErrorCode> = {
  400: 'INVALID_REQUEST',
  402: 'PAYMENT_REQUIRED',
  409: 'PAYMENT_REUSED',
  429: 'RATE_LIMITED',
  503: 'UPSTREAM_UNAVAILABLE',
};

/** The cashier's refusal as an error of ours: its own code when we publish it with that status. */
export function refusedAdmission({ status, code, detail }: Refusal, { exampleRequest }: PaidItem): RequestError {
  const isPublished = isErrorCode(code) && errorTable[code].status === status;
  return new RequestError(isPublished ? code : codeByStatus[status], detail, status === 400 ? { exampleRequest } : {});
}
