import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../../engine/index.ts';
import { RequestError } from './requestError.ts';
import { toIssues } from './toIssues.ts';

const secondsAfterMissedDeadline = 2;
const secondsAfterLostRpc = 5;

/**
 * What a thrown value means to the client: every named failure of the engine has its line here. A
 * failure without a name is INTERNAL and says nothing of itself; its cause is for the log.
 */
export function describeFailure(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  if (thrown instanceof ChainUnavailableError) {
    return new RequestError('UPSTREAM_UNAVAILABLE', thrown.message, {
      retryAfterSeconds: thrown.retryAfterSeconds,
      cause: thrown,
    });
  }
  if (thrown instanceof DeadlineExceededError) {
    return new RequestError('DEADLINE_EXCEEDED', thrown.message, {
      retryAfterSeconds: secondsAfterMissedDeadline,
      cause: thrown,
    });
  }
  if (thrown instanceof RpcTransportError) {
    // Its message may name the node, so it stays in the log.
    const detail = `The chain could not be read right now. Try again in ${secondsAfterLostRpc} s.`;
    return new RequestError('UPSTREAM_UNAVAILABLE', detail, { retryAfterSeconds: secondsAfterLostRpc, cause: thrown });
  }
  if (thrown instanceof TRPCError) return describeTrpcError(thrown);
  return new RequestError('INTERNAL', 'The service failed to answer. It is logged under this requestId.', {
    cause: thrown,
  });
}

/** tRPC wraps whatever a procedure throws; only a body that its input schema refused is the client's doing. */
function describeTrpcError(error: TRPCError): RequestError {
  if (error.code === 'BAD_REQUEST' && error.cause instanceof z.ZodError) {
    return new RequestError('INVALID_REQUEST', 'The body breaks the schema.', {
      issues: toIssues(error.cause),
      cause: error.cause,
    });
  }
  return describeFailure(error.cause ?? new Error(error.message));
}
