import { VerificationError } from '../trade/errors.ts';

/** The node returned a JSON-RPC error. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
}

export type Rpc = <Result>(method: string, params: readonly unknown[]) => Promise<Result>;

interface Reply<Result> {
  result?: Result;
  error?: { code?: number; message?: string };
}

const timeoutMs = 30_000;

/** Creates a JSON-RPC client over HTTP. Its errors never contain the URL, which may contain an API key. */
export function createRpc(url: string, fetch: typeof globalThis.fetch): Rpc {
  return async <Result>(method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    let reply: Reply<Result>;
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
      reply = (await response.json()) as Reply<Result>;
    } catch {
      throw new VerificationError(
        'unreachable',
        `The node returned no JSON response to ${method} within 30 s. Check the URL of the node.`,
      );
    }
    if (reply.error) throw new NodeError(reply.error.message ?? `code ${reply.error.code}`);
    if (reply.result === undefined) throw new NodeError('no result');
    return reply.result;
  };
}
