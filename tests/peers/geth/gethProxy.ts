import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, hexToNumber, keccak256, numberToHex } from 'viem';
import type { JsonCall, JsonReply } from '../profiles/profileTypes.ts';
import type { Geth } from './openGeth.ts';

/**
 * An endpoint in front of geth. Logs of the blocks before its genesis come from the anvil chain whose state it has, because a
 * genesis has none. Everything else goes to geth unchanged, batches as one request, except the methods of anvil that tests
 * call: `evm_mine` adds a block; with `automine` each transaction gets its own block, and a snapshot is the head's number.
 *
 * @param anvil its URL, and the number of the last block of its state
 */
export async function startGethProxy(
  geth: Geth,
  anvil: { url: string; head: number },
  { automine = false }: { automine?: boolean } = {},
) {
  const rewritten = new Set(['evm_mine', 'eth_getLogs']);
  if (automine) for (const method of ['eth_sendRawTransaction', 'evm_snapshot', 'evm_revert']) rewritten.add(method);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const parsed = JSON.parse(body) as JsonCall | JsonCall[];
    const isSpecial = ({ method }: JsonCall) => rewritten.has(method);
    const answer = Array.isArray(parsed)
      ? parsed.some(isSpecial)
        ? JSON.stringify(await Promise.all(parsed.map(each)))
        : await post(geth.rpcUrl, body)
      : JSON.stringify(await each(parsed));
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  };

  async function each(call: JsonCall): Promise<JsonReply> {
    const resultOf = (result: unknown): JsonReply => ({ jsonrpc: '2.0', id: call.id, result });
    const forward = async (other: Partial<JsonCall> = {}) =>
      JSON.parse(await post(geth.rpcUrl, JSON.stringify({ ...call, ...other }))) as JsonReply;
    if (!rewritten.has(call.method)) return forward();
    if (call.method === 'evm_mine') {
      await geth.commit();
      return resultOf('0x0');
    }
    if (call.method === 'eth_sendRawTransaction') {
      const raw = call.params[0] as Hex;
      await geth.commit({ transactions: [raw] });
      return resultOf(keccak256(raw));
    }
    if (call.method === 'evm_snapshot') return forward({ method: 'eth_blockNumber', params: [] });
    if (call.method === 'evm_revert') {
      const reply = await forward({ method: 'debug_setHead' });
      return 'error' in reply ? reply : resultOf(true);
    }
    const reply = await forward();
    if ('error' in reply) return reply;
    const filter = call.params[0] as { fromBlock?: Hex; toBlock?: Hex };
    const from = toNumber(filter.fromBlock, Number.POSITIVE_INFINITY);
    const to = Math.min(anvil.head, toNumber(filter.toBlock, anvil.head));
    if (from > to) return reply;
    const params = [{ ...filter, toBlock: numberToHex(to) }];
    const earlier = JSON.parse(await post(anvil.url, JSON.stringify({ ...call, params }))) as JsonReply;
    if ('error' in earlier) return earlier;
    return { ...reply, result: [...(earlier.result as unknown[]), ...(reply.result as unknown[])] };
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      response.writeHead(502, { 'content-type': 'text/plain' }).end(error.message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A block number in hex; `named` for a tag such as `latest`, or none. */
const toNumber = (block: Hex | undefined, named: number): number =>
  block?.startsWith('0x') ? hexToNumber(block) : named;

async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return response.text();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
