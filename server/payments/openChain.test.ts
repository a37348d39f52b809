import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ChainUnreachableError } from './chainCall.ts';
import { rawQuantity } from './networks/evm/nodeAnswers.ts';
import { openChain } from './openChain.ts';

/** What the node says next to each method; the last one stays. */
let says: Record<string, unknown[]> = {};
/** How many calls came in each request. */
let requests: number[] = [];
let takesBatches = true;
/** It answers each of several calls in one request by an error. */
let refusesEach = false;
interface Asked {
  id: number;
  method: string;
}
const answerTo = ({ id, method }: Asked) => {
  const results = says[method] ?? [];
  return { jsonrpc: '2.0', id, result: results.length > 1 ? results.shift() : results[0] };
};
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked | Asked[];
  const isBatch = Array.isArray(asked);
  requests.push(isBatch ? asked.length : 1);
  const refuse = ({ id }: Asked) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'one at a time' } });
  const answerAll = (all: Asked[]) =>
    takesBatches ? all.map((one) => (refusesEach ? refuse(one) : answerTo(one))) : { error: 'none' };
  const answer = isBatch ? answerAll(asked) : answerTo(asked);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
beforeEach(() => {
  requests = [];
  takesBatches = true;
  refusesEach = false;
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = () =>
  openChain({ rpcUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] }, 5_000, {
    method: 'eth_chainId',
    shape: rawQuantity,
    isRight: (answer) => Number(answer) === 8453,
  });

test.each([
  ['another chain', '0x1'],
  ['an object', { toString: [] }],
  ['nothing', null],
])('behavior: a node that said %s once is believed when it comes to its senses', async (_name, first) => {
  says = { eth_chainId: [first, '0x2105'], eth_blockNumber: ['0x7'] };
  const { call } = open();
  await expect(call('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
  expect(await call('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test('error: ChainUnreachableError: a node of another chain is never believed', async () => {
  says = { eth_chainId: ['0x1'], eth_blockNumber: ['0x7'] };
  const { call } = open();
  for (let turn = 0; turn < 3; turn += 1)
    await expect(call('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
});

test('default: a proven call reads the chain id in the same request', async () => {
  says = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  const { call, callProven } = open();
  await call('eth_blockNumber', [], rawQuantity);
  requests = [];
  expect(await callProven('eth_blockNumber', [], rawQuantity)).toBe('0x7');
  expect(requests).toEqual([2]);
});

test('behavior: a node that takes no two calls in one is asked for the proof beside, and for no two again', async () => {
  says = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  takesBatches = false;
  const { call, callProven } = open();
  await call('eth_blockNumber', [], rawQuantity);
  requests = [];
  for (let turn = 0; turn < 2; turn += 1) expect(await callProven('eth_blockNumber', [], rawQuantity)).toBe('0x7');
  expect(requests).toEqual([2, 1, 1, 1, 1]);
});

test('behavior: a node that took two calls in one and takes them no more is asked for each', async () => {
  says = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  const { call, callProven } = open();
  await call('eth_blockNumber', [], rawQuantity);
  await callProven('eth_blockNumber', [], rawQuantity);
  takesBatches = false;
  expect(await callProven('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test('behavior: a node that refuses each of two calls in one is asked for each', async () => {
  says = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  refusesEach = true;
  const { call, callProven } = open();
  await call('eth_blockNumber', [], rawQuantity);
  expect(await callProven('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test.each([true, false])(
  'error: ChainUnreachableError: an answer beside another name (in one request: %s)',
  async (both) => {
    says = { eth_chainId: ['0x2105', '0x1'], eth_blockNumber: ['0x7'] };
    takesBatches = both;
    const { call, callProven } = open();
    await call('eth_blockNumber', [], rawQuantity);
    await expect(callProven('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
  },
);
