import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hex, hexToNumber, numberToHex } from 'viem';
import type { JsonCall, JsonReply } from '../profiles/profileTypes.ts';
import type { Geth } from './startGeth.ts';

/**
 * An endpoint in front of geth. Logs of the blocks before its genesis come from the anvil chain whose state it has, because a
 * genesis has none. `evm_mine` adds a block, as on anvil. Everything else goes to geth unchanged, batches as one request.
 *
 * @param head the number of the last block of anvil's state
 */
export async function startGethProxy(geth: Geth, anvilUrl: string, head: number) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    const parsed = JSON.parse(body) as JsonCall | JsonCall[];
    const isSpecial = ({ method }: JsonCall) => method === 'evm_mine' || method === 'eth_getLogs';
    const answer = Array.isArray(parsed)
      ? parsed.some(isSpecial)
        ? JSON.stringify(await Promise.all(parsed.map(each)))
        : await post(geth.url, body)
      : JSON.stringify(await each(parsed));
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  };

  async function each(call: JsonCall): Promise<JsonReply> {
    if (call.method === 'evm_mine') {
      await geth.mine();
      return { jsonrpc: '2.0', id: call.id, result: '0x0' };
    }
    const reply = JSON.parse(await post(geth.url, JSON.stringify(call))) as JsonReply;
    if (call.method !== 'eth_getLogs' || 'error' in reply) return reply;
    const filter = call.params[0] as { fromBlock?: Hex; toBlock?: Hex };
    const from = toNumber(filter.fromBlock, Number.POSITIVE_INFINITY);
    const to = Math.min(head, toNumber(filter.toBlock, head));
    if (from > to) return reply;
    const params = [{ ...filter, toBlock: numberToHex(to) }];
    const earlier = JSON.parse(await post(anvilUrl, JSON.stringify({ ...call, params }))) as JsonReply;
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
