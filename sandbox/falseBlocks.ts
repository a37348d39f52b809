import type { ProxiedCall, RpcFault } from './rpcProxy.ts';

type Reply = { id: unknown; result?: unknown };
type Header = Record<string, unknown>;

/** Replaces these fields in every block header that the node returns. */
export function falsifyHeader(change: (header: Header) => Header): RpcFault {
  return rewriteReplies((call, reply) =>
    call.method === 'eth_getBlockByNumber' && reply.result
      ? { ...reply, result: change(reply.result as Header) }
      : reply,
  );
}

/** Replaces one word of each long eth_call result, as if the call had run in another block. */
export function falsifyCallBlock(word: number, value: (original: bigint) => bigint): RpcFault {
  return rewriteReplies((call, reply) => {
    if (call.method !== 'eth_call' || typeof reply.result !== 'string') return reply;
    // Words that contracts/lens/Packing.sol packed.
    if (reply.result.startsWith('0x01')) return { ...reply, result: replacePacked(reply.result, word, value) };
    if (reply.result.length < 2 + 64 * 10) return reply;
    const at = 2 + 64 * word;
    const original = BigInt(`0x${reply.result.slice(at, at + 64)}`);
    const replaced = value(original).toString(16).padStart(64, '0');
    return { ...reply, result: reply.result.slice(0, at) + replaced + reply.result.slice(at + 64) };
  });
}

function replacePacked(result: string, word: number, value: (original: bigint) => bigint): string {
  const lengthAt = (at: number) => Number.parseInt(result.slice(at, at + 2), 16);
  let at = 2;
  for (let index = 0; index < word; index += 1) at += 2 + 2 * lengthAt(at);
  const end = at + 2 + 2 * lengthAt(at);
  const replaced = value(BigInt(`0x0${result.slice(at + 2, end)}`))
    .toString(16)
    .padStart(64, '0');
  return `${result.slice(0, at)}20${replaced}${result.slice(end)}`;
}

/** Makes the node report another chain id. */
export function falsifyChainId(chainId: number): RpcFault {
  return rewriteReplies((call, reply) =>
    call.method === 'eth_chainId' ? { ...reply, result: `0x${chainId.toString(16)}` } : reply,
  );
}

/** Makes the node report this block as its latest. */
export function freezeHead(number: number): RpcFault {
  const head = `0x${number.toString(16)}`;
  return {
    kind: 'alter',
    rewrite: (calls) =>
      calls.map((call) => ({ ...call, params: call.params.map((param) => (param === 'latest' ? head : param)) })),
  };
}

function rewriteReplies(change: (call: ProxiedCall, reply: Reply) => Reply): RpcFault {
  return {
    kind: 'rewrite',
    reply(text, calls) {
      const parsed = JSON.parse(text) as Reply | Reply[];
      const changed = (reply: Reply) => {
        const call = calls.find(({ id }) => id === reply.id);
        return call ? change(call, reply) : reply;
      };
      return JSON.stringify(Array.isArray(parsed) ? parsed.map(changed) : changed(parsed));
    },
  };
}
