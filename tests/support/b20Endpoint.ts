import { type CountingEndpoint, loopbackEndpoint } from '../engine/loopbackEndpoint.ts';

/** The address shape of B20 tokens, and the factory and registries. */
const executedByNode = /^0x(b2(00){9}|b20f(00){18}|8453(00){17}0[12])/i;

/**
 * A node that treats B20 as Base does: `eth_getCode` returns `0xef`, a code override at such an address has no effect,
 * and reads of its storage appear in no access list.
 */
export function b20Endpoint(url: string): CountingEndpoint {
  const endpoint = loopbackEndpoint(url);
  const { send } = endpoint;
  endpoint.send = async (calls, options) => {
    const replies = await send(calls.map(withoutCodeOverride), options);
    return replies.map((reply, index) => {
      const { method } = calls[index] ?? { method: '' };
      if (!('result' in reply)) return reply;
      if (method === 'eth_getCode') return { result: withMarker(reply.result) };
      if (method === 'eth_createAccessList') return { result: withoutSlots(reply.result) };
      return reply;
    });
  };
  return endpoint;
}

type Call = Parameters<CountingEndpoint['send']>[0][number];

function withoutCodeOverride(call: Call): Call {
  const [transaction, block, override] = call.params as [
    unknown,
    unknown,
    Record<string, { code?: string }> | undefined,
  ];
  if (call.method !== 'eth_call' || !override) return call;
  const entries = Object.entries(override).map(([address, account]) => {
    const { code: _, ...rest } = account;
    return [address, executedByNode.test(address) ? rest : account];
  });
  return { ...call, params: [transaction, block, Object.fromEntries(entries)] };
}

const withMarker = (code: unknown) => (typeof code === 'string' && code.startsWith('0xef0100') ? '0xef' : code);

function withoutSlots(result: unknown) {
  const { accessList = [] } = result as { accessList?: { address: string }[] };
  return { ...(result as object), accessList: accessList.filter(({ address }) => !executedByNode.test(address)) };
}
