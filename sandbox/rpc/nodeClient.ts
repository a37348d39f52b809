import { Agent, request as httpRequest } from 'node:http';

/** The local chain returned an error; the message contains its text. */
export class NodeCallError extends Error {
  override readonly name = 'NodeCallError';
  constructor(
    readonly method: string,
    message: string,
    /** Revert data, if the call reverted. */
    readonly data: unknown,
  ) {
    super(`${method}: ${message}`);
  }
}

interface NodeCall {
  method: string;
  params?: readonly unknown[];
}

interface NodeAnswer {
  id: number;
  result?: unknown;
  error?: { message: string; data?: unknown };
}

/** Raw JSON-RPC to one local chain: batches calls and returns results in their order. */
export interface NodeClient {
  readonly rpcUrl: string;
  /** @throws {NodeCallError} */
  call<T>(method: string, params?: readonly unknown[]): Promise<T>;
  /** @throws {NodeCallError} for the first call that failed. */
  batch<T>(calls: readonly NodeCall[]): Promise<T[]>;
}

/** Shared by all clients: idle connections are reused and do not keep the process alive. */
const agent = new Agent({ keepAlive: true });

export function createNodeClient(rpcUrl: string): NodeClient {
  const batch = async <T>(calls: readonly NodeCall[]): Promise<T[]> => {
    if (calls.length === 0) return [];
    const body = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }));
    const answers = JSON.parse(await post(rpcUrl, JSON.stringify(body))) as NodeAnswer[];
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    return calls.map(({ method }, id) => {
      const answer = byId.get(id);
      if (!answer) throw new NodeCallError(method, 'the node returned no result', undefined);
      if (answer.error) throw new NodeCallError(method, answer.error.message, answer.error.data);
      return answer.result as T;
    });
  };
  const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const [result] = await batch<T>([{ method, params }]);
    return result as T;
  };
  return { rpcUrl, call, batch };
}

/** Uses node:http, because tests may mock the global fetch of the code under test. */
function post(rpcUrl: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const outgoing = httpRequest(rpcUrl, { method: 'POST', headers, agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
