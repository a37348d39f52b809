import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import {
  isLimited,
  ownIndexLabel,
  type RpcCall,
  type RpcEndpoint,
  type RpcReply,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';

/** The label of our own index in responses and errors. */
export const logsLabel = ownIndexLabel;

/** RPC requests of the indexes, with failover in configuration order and a request budget. */
export interface LogRpc {
  /**
   * @throws {RpcTransportError} no endpoint responds
   * @throws {VendorUnavailableError} timeout, or the budget is spent
   */
  send(calls: readonly RpcCall[]): Promise<RpcReply[]>;
}

/** @param spend called before each request; throws when the budget is spent */
export function createLogRpc(endpoints: readonly RpcEndpoint[], signal: AbortSignal, spend: () => void): LogRpc {
  return {
    async send(calls) {
      let last = new RpcTransportError('No RPC endpoint is configured.');
      for (const endpoint of endpoints) {
        spend();
        try {
          return await sendTo(endpoint, calls, signal, spend);
        } catch (error) {
          if (!(error instanceof RpcTransportError)) throw error;
          if (signal.aborted) throw new VendorUnavailableError(logsLabel, 'timeout');
          last = error;
        }
      }
      throw last;
    },
  };
}

/** A pause before each request: the same nodes serve paid requests. */
export const withPauses = (rpc: LogRpc, pauseMs: number, signal: AbortSignal): LogRpc => ({
  async send(calls) {
    await sleep(pauseMs, undefined, { signal, ref: false });
    return rpc.send(calls);
  },
});

/** An endpoint that refuses the batch gets its calls one by one. */
async function sendTo(
  endpoint: RpcEndpoint,
  calls: readonly RpcCall[],
  signal: AbortSignal,
  spend: () => void,
): Promise<RpcReply[]> {
  try {
    return await endpoint.send(calls, { signal });
  } catch (error) {
    if (!(error instanceof RpcTransportError && error.answered) || calls.length < 2 || signal.aborted) throw error;
    const replies: RpcReply[] = [];
    for (const call of calls) {
      spend();
      replies.push(...(await endpoint.send([call], { signal })));
    }
    return replies;
  }
}

/**
 * Validates the result of one reply.
 * @throws {VendorUnavailableError} refused: the node returned an error; rate-limited: it refused the call because there
 * were too many; malformed: the result does not match the schema
 */
export function takeResult<T>(reply: RpcReply | undefined, schema: z.ZodType<T>): T {
  if (!reply || 'error' in reply)
    throw new VendorUnavailableError(logsLabel, isLimited(reply) ? 'rate-limited' : 'refused');
  const parsed = schema.safeParse(reply.result);
  if (!parsed.success) throw new VendorUnavailableError(logsLabel, 'malformed');
  return parsed.data;
}

export const blockParam = (block: number): string => `0x${block.toString(16)}`;
