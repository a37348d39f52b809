import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One JSON-RPC call as it stands in a request. */
export interface ProxiedCall {
  id: unknown;
  method: string;
  params: unknown[];
}

/**
 * What the proxy does to one HTTP request instead of passing it on.
 * `loseReply` forwards the request and then cuts the connection: the node did it, the caller cannot know.
 */
export type RpcFault =
  | { kind: 'drop' }
  | { kind: 'hang' }
  | { kind: 'loseReply' }
  | { kind: 'truncate' }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'html' }
  | { kind: 'flood'; bytes: number }
  | { kind: 'rewrite'; reply: (text: string, calls: ProxiedCall[]) => string };

export interface RpcProxy {
  url: string;
  /** HTTP requests seen, in order; each with its JSON-RPC calls and its size in bytes. */
  requests: { calls: ProxiedCall[]; requestBytes: number; replyBytes: number }[];
  /** Milliseconds that each request waits before it is passed on; stands for the way to a remote node. */
  delayMs: number;
  /** Asked for each request; undefined passes it on. */
  fault: (calls: ProxiedCall[]) => RpcFault | undefined;
  close(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function forward(target: string, body: string): Promise<string> {
  const reply = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return reply.text();
}

async function breakReply(
  fault: RpcFault,
  response: ServerResponse,
  pass: () => Promise<string>,
  calls: ProxiedCall[],
) {
  if (fault.kind === 'hang') return;
  if (fault.kind === 'drop') {
    response.destroy();
    return;
  }
  if (fault.kind === 'loseReply') {
    await pass();
    response.destroy();
    return;
  }
  if (fault.kind === 'truncate') {
    const text = await pass();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, Math.floor(text.length / 2)));
    response.destroy();
    return;
  }
  if (fault.kind === 'rewrite') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(fault.reply(await pass(), calls));
    return;
  }
  if (fault.kind === 'flood') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":1,"result":"0x${'00'.repeat(fault.bytes / 2)}"}`);
    return;
  }
  const [status, headers, text] =
    fault.kind === 'html'
      ? [200, { 'content-type': 'text/html' }, '<!doctype html><title>Gateway</title>']
      : [fault.status, fault.headers ?? {}, fault.body ?? ''];
  response.writeHead(status, headers).end(text);
}

/**
 * A loopback JSON-RPC proxy before one local chain: counts what goes through, delays it, breaks it on request.
 *
 * @param target URL of the chain's own RPC.
 */
export async function startRpcProxy(target: string, options: { delayMs?: number } = {}): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: Error) => {
      response.writeHead(502, { 'content-type': 'text/plain' }).end(error.message);
    });
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const parsed = JSON.parse(body) as ProxiedCall | ProxiedCall[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const seen = { calls, requestBytes: Buffer.byteLength(body), replyBytes: 0 };
    proxy.requests.push(seen);
    if (proxy.delayMs > 0) await sleep(proxy.delayMs);
    const fault = proxy.fault(calls);
    if (fault) {
      await breakReply(fault, response, () => forward(target, body), calls);
      return;
    }
    const text = await forward(target, body);
    seen.replyBytes = Buffer.byteLength(text);
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    delayMs: options.delayMs ?? 0,
    fault: () => undefined,
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
  return proxy;
}
