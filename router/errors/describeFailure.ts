import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { ChainUnavailableError, DeadlineExceededError, RpcTransportError } from '../../engine/index.ts';
import { RequestError } from './requestError.ts';
import { toIssues } from './toIssues.ts';

const secondsAfterMissedDeadline = 2;
const secondsAfterLostRpc = 5;

/**
 * Converts a thrown value to the error that the client receives. The engine's named errors keep their message and retry
 * time. Any other value becomes INTERNAL without details, with the value as `cause` for the log.
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
    // The error's own message may contain the node's URL, so only the log includes it.
    const detail = `No node of the chain returned a usable response. Try again in ${secondsAfterLostRpc} s.`;
    return new RequestError('UPSTREAM_UNAVAILABLE', detail, { retryAfterSeconds: secondsAfterLostRpc, cause: thrown });
  }
  if (thrown instanceof TRPCError) return describeTrpcError(thrown);
  return new RequestError(
    'INTERNAL',
    'The service failed and could not answer. If this happens again, send this requestId to the operator.',
    {
      cause: thrown,
    },
  );
}

/** tRPC wraps every error of a procedure. Only a failed input schema is an error of the client. */
function describeTrpcError(error: TRPCError): RequestError {
  if (error.code === 'BAD_REQUEST' && error.cause instanceof z.ZodError) {
    return new RequestError('INVALID_REQUEST', 'The body does not match the schema: see issues.', {
      issues: toIssues(error.cause),
      cause: error.cause,
    });
  }
  return describeFailure(error.cause ?? new Error(error.message));
}
