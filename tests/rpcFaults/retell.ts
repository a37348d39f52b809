import type { ProxiedCall, RpcFault } from '../../sandbox/index.ts';

type Reply = { id: number; result?: unknown; error?: unknown };

function retell(reply: (call: ProxiedCall, told: Reply) => Reply): RpcFault {
  return {
    kind: 'rewrite',
    reply: (text, calls) => {
      const parsed = JSON.parse(text) as Reply | Reply[];
      const replies = Array.isArray(parsed) ? parsed : [parsed];
      const told = replies.map((each) => {
        const call = calls.find(({ id }) => id === each.id);
        return call ? reply(call, each) : each;
      });
      return JSON.stringify(Array.isArray(parsed) ? told : told[0]);
    },
  };
}

/** The node does what it is asked, and answers with other results; the calls' ids stay right. */
export function rewriting(resultOf: (call: ProxiedCall, result: unknown) => unknown): RpcFault {
  return retell((call, { error: _error, ...told }) => ({ ...told, result: resultOf(call, told.result) }));
}

/** Refuses some calls as a node refuses them. */
export function failing(
  refuses: (call: ProxiedCall) => boolean,
  error: { code: number; message: string; data?: unknown } = { code: -32000, message: 'header not found' },
): RpcFault {
  return retell((call, told) => (refuses(call) ? { ...told, result: undefined, error } : told));
}
