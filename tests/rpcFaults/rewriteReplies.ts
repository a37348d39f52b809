import type { ProxiedCall, RpcFault } from '../../sandbox/index.ts';

type Reply = { id: number; result?: unknown; error?: unknown };

function rewrite(change: (call: ProxiedCall, reply: Reply) => Reply): RpcFault {
  return {
    kind: 'rewrite',
    reply: (text, calls) => {
      const parsed = JSON.parse(text) as Reply | Reply[];
      const replies = Array.isArray(parsed) ? parsed : [parsed];
      const changed = replies.map((each) => {
        const call = calls.find(({ id }) => id === each.id);
        return call ? change(call, each) : each;
      });
      return JSON.stringify(Array.isArray(parsed) ? changed : changed[0]);
    },
  };
}

/** Replaces the results of a node. The ids of replies stay the same. */
export function rewriting(resultOf: (call: ProxiedCall, result: unknown) => unknown): RpcFault {
  return rewrite((call, { error: _error, ...reply }) => ({ ...reply, result: resultOf(call, reply.result) }));
}

/** Returns JSON-RPC errors for some calls. */
export function failing(
  refuses: (call: ProxiedCall) => boolean,
  error: { code: number; message: string; data?: unknown } = { code: -32000, message: 'header not found' },
): RpcFault {
  return rewrite((call, reply) => (refuses(call) ? { ...reply, result: undefined, error } : reply));
}
