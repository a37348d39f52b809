import { z } from 'zod';
import { type RpcReply, RpcTransportError } from '../../engine/index.ts';

const reply = z.union([
  z.object({
    id: z.number(),
    error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
  }),
  // Requires the key: `result: null` is valid.
  z.object({ id: z.number(), result: z.unknown() }),
]);

/**
 * Sorts replies into the order of their calls; ids are the calls' positions.
 * @throws {RpcTransportError} when the body is not JSON-RPC, or a reply is missing
 */
export function toReplies(body: unknown, count: number, label: string): RpcReply[] {
  const replies: (RpcReply | undefined)[] = [];
  for (const entry of Array.isArray(body) ? body : [body]) {
    const parsed = reply.safeParse(entry);
    if (!parsed.success)
      throw new RpcTransportError(`${label} returned a body that is not JSON-RPC.`, { answered: true });
    const { id, ...rest } = parsed.data;
    replies[id] = rest as RpcReply;
  }
  return Array.from({ length: count }, (_, id) => {
    const found = replies[id];
    if (!found)
      throw new RpcTransportError(`${label} returned no reply to call ${id + 1} of ${count}.`, { answered: true });
    return found;
  });
}
