import { type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';

/** An endpoint over plain HTTP that counts its requests. */
export interface CountingEndpoint extends RpcEndpoint {
  requests: number;
  lastBytes: { sent: number; received: number };
}

export function loopbackEndpoint(url: string, label = 'loopback'): CountingEndpoint {
  const endpoint: CountingEndpoint = {
    label,
    requests: 0,
    lastBytes: { sent: 0, received: 0 },
    async send(calls, { signal }) {
      endpoint.requests += 1;
      const sent = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: sent,
        signal,
      }).catch((cause: unknown) => {
        throw new RpcTransportError(`${label} is unreachable.`, { cause });
      });
      const text = await response.text();
      endpoint.lastBytes = { sent: sent.length, received: text.length };
      if (!response.ok) throw new RpcTransportError(`${label} returned HTTP ${response.status}.`);
      const replies = JSON.parse(text) as { id: number; result?: unknown; error?: { code: number; message: string } }[];
      return replies
        .sort((a, b) => a.id - b.id)
        .map((reply) => (reply.error ? { error: reply.error } : { result: reply.result }));
    },
  };
  return endpoint;
}
