export { describeFailure } from './describeFailure.ts';
export { type ErrorCode, errorTable, isErrorCode } from './errorTable.ts';
export { RequestError } from './requestError.ts';
export { type ErrorBody, errorBody, toErrorBody } from './toErrorBody.ts';
export { toTrpcErrorBody } from './toTrpcErrorBody.ts';
