import type { z } from 'zod';
import {
  ownIndexLabel,
  type RpcCall,
  type RpcEndpoint,
  type RpcReply,
  RpcTransportError,
  VendorUnavailableError,
} from '../ports.ts';

/** The label under which the index over our own RPC stands in answers and errors. */
export const logsLabel = ownIndexLabel;

/** The chain's RPC as the log index uses it: in order of preference, counted. */
export interface LogRpc {
  /** @throws {RpcTransportError} when no endpoint answers; @throws {VendorUnavailableError} when the budget is spent. */
  send(calls: readonly RpcCall[]): Promise<RpcReply[]>;
}

/** @param spend called before each request; throws when there may be no more. */
export function createLogRpc(endpoints: readonly RpcEndpoint[], signal: AbortSignal, spend: () => void): LogRpc {
  return {
    async send(calls) {
      let last = new RpcTransportError('No RPC endpoint is configured.');
      for (const endpoint of endpoints) {
        spend();
        try {
          return await endpoint.send(calls, { signal });
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

/**
 * Takes one reply as what it must be.
 * @throws {VendorUnavailableError} refused: the node answered with an error; malformed: with something else
 */
export function takeResult<T>(reply: RpcReply | undefined, schema: z.ZodType<T>): T {
  if (!reply || 'error' in reply) throw new VendorUnavailableError(logsLabel, 'refused');
  const parsed = schema.safeParse(reply.result);
  if (!parsed.success) throw new VendorUnavailableError(logsLabel, 'malformed');
  return parsed.data;
}

export const blockParam = (block: number): string => `0x${block.toString(16)}`;
