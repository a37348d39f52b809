import { BaseError } from 'viem';
import { TransactionFailedError } from '../trade/errors.ts';
import { NodeError } from '../verify/rpc.ts';

/**
 * The result of work with the user's node. Its errors become messages without the node's URL, which may contain an API key.
 * @throws {TransactionFailedError} the node returned an error
 */
export async function describeFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const reason =
      error instanceof BaseError ? error.shortMessage : error instanceof NodeError ? error.message : undefined;
    if (reason === undefined) throw error;
    throw new TransactionFailedError(`The node failed: ${reason.split('\n')[0]?.slice(0, 200)}`);
  }
}
