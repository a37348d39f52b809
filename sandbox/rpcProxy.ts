import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One JSON-RPC call of a request. */
export interface ProxiedCall {
  id: unknown;
  method: string;
  params: unknown[];
}

/**
 * A fault of one HTTP request.
 * `loseReply` forwards the request and then closes the connection: the node executed it, and the caller gets no reply.
 * `halfClose` sends a part of the body and ends its side of the connection.
 * `delay` forwards the request later; `alter` replaces each call; `rewrite` changes the reply.
 */
export type RpcFault =
  | { kind: 'drop' }
  | { kind: 'hang' }
  | { kind: 'loseReply' }
  | { kind: 'truncate' }
  | { kind: 'halfClose' }
  | { kind: 'delay'; ms: number }
  | { kind: 'alter'; rewrite: (calls: ProxiedCall[]) => ProxiedCall[] }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'html' }
  | { kind: 'flood'; bytes: number }
  | { kind: 'rewrite'; reply: (text: string, calls: ProxiedCall[]) => string };

export interface RpcProxy {
  url: string;
  /** HTTP requests received, in order, with their JSON-RPC calls and size in bytes. */
  requests: { calls: ProxiedCall[]; requestBytes: number; replyBytes: number }[];
  /** Delay of each request in milliseconds, as of a remote node. */
  delayMs: number;
  /** Called for each request. If it returns undefined, the request is forwarded. */
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

const floodChunk = '00'.repeat(32_768);

/** Writes `bytes` zeros with backpressure. Stops when the peer has disconnected. */
async function writeFlood(response: ServerResponse, bytes: number): Promise<void> {
  const closed = once(response, 'close');
  for (let left = bytes; left > 0 && !response.destroyed; left -= floodChunk.length) {
    if (!response.write(floodChunk.slice(0, left))) await Promise.race([once(response, 'drain'), closed]);
  }
}

/** @param forwardCalls forwards the request, with other calls if given, and returns the node's reply */
async function applyFault(
  fault: RpcFault,
  response: ServerResponse,
  forwardCalls: (other?: ProxiedCall[]) => Promise<string>,
  calls: ProxiedCall[],
) {
  if (fault.kind === 'hang') return;
  if (fault.kind === 'drop') {
    response.destroy();
    return;
  }
  if (fault.kind === 'loseReply') {
    await forwardCalls();
    response.destroy();
    return;
  }
  if (fault.kind === 'truncate') {
    const text = await forwardCalls();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, Math.floor(text.length / 2)));
    response.destroy();
    return;
  }
  if (fault.kind === 'halfClose') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{"jsonrpc":"2.0",');
    response.socket?.end();
    return;
  }
  if (fault.kind === 'delay') {
    await sleep(fault.ms);
    response.writeHead(200, { 'content-type': 'application/json' }).end(await forwardCalls());
    return;
  }
  if (fault.kind === 'alter') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(await forwardCalls(fault.rewrite(calls)));
    return;
  }
  if (fault.kind === 'rewrite') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(fault.reply(await forwardCalls(), calls));
    return;
  }
  if (fault.kind === 'flood') {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"jsonrpc":"2.0","id":0,"result":"0x');
    await writeFlood(response, fault.bytes);
    response.end('"}');
    return;
  }
  const [status, headers, text] =
    fault.kind === 'html'
      ? [200, { 'content-type': 'text/html' }, '<!doctype html><title>Gateway</title>']
      : [fault.status, fault.headers ?? {}, fault.body ?? ''];
  response.writeHead(status, headers).end(text);
}

/**
 * Starts a loopback JSON-RPC proxy of one local chain, which records, delays and faults requests.
 *
 * @param target URL of the chain's RPC
 */
export async function startRpcProxy(target: string, options: { delayMs?: number } = {}): Promise<RpcProxy> {
  const server = createServer((request, response) => {
    void handle(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(error.message);
    });
  });

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const parsed = JSON.parse(body) as ProxiedCall | ProxiedCall[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const record = { calls, requestBytes: Buffer.byteLength(body), replyBytes: 0 };
    proxy.requests.push(record);
    if (proxy.delayMs > 0) await sleep(proxy.delayMs);
    const fault = proxy.fault(calls);
    if (fault) {
      const forwardCalls = (other?: ProxiedCall[]) =>
        forward(target, other ? JSON.stringify(Array.isArray(parsed) ? other : other[0]) : body);
      await applyFault(fault, response, forwardCalls, calls);
      return;
    }
    const text = await forward(target, body);
    record.replyBytes = Buffer.byteLength(text);
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
