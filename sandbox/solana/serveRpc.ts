import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RpcMethodError } from './rpcMethods.ts';

type Methods = Record<string, (params: readonly unknown[]) => unknown>;

interface Call {
  id: unknown;
  method: string;
  params?: unknown[];
}

const bodyLimit = 256 * 1024;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw new RangeError('The request is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function respond(methods: Methods, { id, method, params }: Call) {
  try {
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!run) throw new RpcMethodError(-32601, `Method not found: ${method}`);
    return { jsonrpc: '2.0', id, result: run(params ?? []) };
  } catch (error) {
    // Undecodable parameters throw here too; return them as invalid params, as real nodes do.
    const code = error instanceof RpcMethodError ? error.code : -32602;
    return { jsonrpc: '2.0', id, error: { code, message: (error as Error).message } };
  }
}

/** JSON-RPC over HTTP on a free loopback port, with CORS. */
export async function serveRpc(methods: Methods): Promise<{ rpcUrl: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const headers = {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
    };
    if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end();
    try {
      const body = JSON.parse(await readBody(request)) as Call | Call[];
      const replies = Array.isArray(body) ? body.map((call) => respond(methods, call)) : respond(methods, body);
      response.writeHead(200, headers).end(JSON.stringify(replies));
    } catch (error) {
      const reply = { jsonrpc: '2.0', id: null, error: { code: -32700, message: (error as Error).message } };
      response.writeHead(400, headers).end(JSON.stringify(reply));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server must not keep the process alive.
  server.unref();
  return {
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
