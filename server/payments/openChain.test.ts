import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { ChainUnreachableError } from './chainCall.ts';
import { rawQuantity } from './networks/evm/nodeAnswers.ts';
import { openChain } from './openChain.ts';

/** Results of the node for each method, in order; the last one repeats. */
let results: Record<string, unknown[]> = {};
/** The number of calls in each HTTP request. */
let batchSizes: number[] = [];
let acceptsBatches = true;
/** The node returns an error for each call of a batch. */
let rejectsEach = false;
/** The node returns the HTTP status for a batch that contains this method. */
let httpError: { method: string; status: number } | undefined;
/** The node returns this error for the method, also in a batch. */
let rpcError: { method: string; code: number; message: string } | undefined;
let methods: string[] = [];
interface Call {
  id: number;
  method: string;
}
const replyTo = ({ id, method }: Call) => {
  if (rpcError?.method === method)
    return { jsonrpc: '2.0', id, error: { code: rpcError.code, message: rpcError.message } };
  const queued = results[method] ?? [];
  return { jsonrpc: '2.0', id, result: queued.length > 1 ? queued.shift() : queued[0] };
};
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const received = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
  const isBatch = Array.isArray(received);
  batchSizes.push(isBatch ? received.length : 1);
  const calledMethods = [received].flat().map(({ method }) => method);
  methods.push(...calledMethods);
  if (httpError && calledMethods.includes(httpError.method))
    return void response.writeHead(httpError.status).end('busy');
  const refuse = ({ id }: Call) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'one at a time' } });
  const replyToBatch = (calls: Call[]) =>
    acceptsBatches ? calls.map((call) => (rejectsEach ? refuse(call) : replyTo(call))) : { error: 'none' };
  const reply = isBatch ? replyToBatch(received) : replyTo(received);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
});
beforeEach(() => {
  batchSizes = [];
  methods = [];
  httpError = undefined;
  rpcError = undefined;
  acceptsBatches = true;
  rejectsEach = false;
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = () =>
  openChain({ rpcUrls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`] }, 5_000, {
    method: 'eth_chainId',
    shape: rawQuantity,
    matches: (networkId) => Number(networkId) === 8453,
  });

test.each([
  ['another chain id', '0x1'],
  ['an object', { toString: [] }],
  ['nothing', null],
])('behavior: a node that first returns %s is used after it returns the right chain id', async (_name, first) => {
  results = { eth_chainId: [first, '0x2105'], eth_blockNumber: ['0x7'] };
  const { call } = open();
  await expect(call('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
  expect(await call('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test('error: ChainUnreachableError on every call if the only node serves another chain', async () => {
  results = { eth_chainId: ['0x1'], eth_blockNumber: ['0x7'] };
  const { call } = open();
  for (let turn = 0; turn < 3; turn += 1)
    await expect(call('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
});

test('default: a verified call reads the chain id in the same request', async () => {
  results = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  const { call, callVerified } = open();
  await call('eth_blockNumber', [], rawQuantity);
  batchSizes = [];
  expect(await callVerified('eth_blockNumber', [], rawQuantity)).toBe('0x7');
  expect(batchSizes).toEqual([2]);
});

test('behavior: a node that rejects batches gets the chain id request separately, and no batch again', async () => {
  results = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  acceptsBatches = false;
  const { call, callVerified } = open();
  await call('eth_blockNumber', [], rawQuantity);
  batchSizes = [];
  for (let turn = 0; turn < 2; turn += 1) expect(await callVerified('eth_blockNumber', [], rawQuantity)).toBe('0x7');
  expect(batchSizes).toEqual([2, 1, 1, 1, 1]);
});

test('behavior: a node that stops accepting batches gets single requests', async () => {
  results = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  const { call, callVerified } = open();
  await call('eth_blockNumber', [], rawQuantity);
  await callVerified('eth_blockNumber', [], rawQuantity);
  acceptsBatches = false;
  expect(await callVerified('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test('behavior: a node that rejects each call of a batch gets single requests', async () => {
  results = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'] };
  rejectsEach = true;
  const { call, callVerified } = open();
  await call('eth_blockNumber', [], rawQuantity);
  expect(await callVerified('eth_blockNumber', [], rawQuantity)).toBe('0x7');
});

test.each([true, false])(
  'error: ChainUnreachableError if the chain id read with a result is of another chain (in one batch: %s)',
  async (inBatch) => {
    results = { eth_chainId: ['0x2105', '0x1'], eth_blockNumber: ['0x7'] };
    acceptsBatches = inBatch;
    const { call, callVerified } = open();
    await call('eth_blockNumber', [], rawQuantity);
    await expect(callVerified('eth_blockNumber', [], rawQuantity)).rejects.toThrow(ChainUnreachableError);
  },
);

const sync = 'eth_sendRawTransactionSync';
const syncRequests = () => methods.filter((method) => method === sync).length;
const hash = `0x${'ab'.repeat(32)}`;

/** Sends two broadcasts `pauseMs` apart; the fault ends before the second. Returns how many were synchronous. */
async function sendTwice(pauseMs: number): Promise<number> {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  results = { eth_chainId: ['0x2105'], eth_blockNumber: ['0x7'], eth_sendRawTransaction: [hash], [sync]: [{}] };
  const { sendRaw } = open();
  expect(await sendRaw('0x02', true)).toEqual({ outcome: 'sent' });
  expect(methods).toContain('eth_sendRawTransaction');
  httpError = undefined;
  rpcError = undefined;
  vi.setSystemTime(Date.now() + pauseMs);
  await sendRaw('0x03', true);
  return syncRequests();
}

test.each([400, 404, 500, 502])(
  'behavior: after HTTP %d the synchronous broadcast is used again five minutes later',
  async (status) => {
    httpError = { method: sync, status };
    expect(await sendTwice(301_000)).toBe(2);
  },
);

test('behavior: after an HTTP error the plain broadcast is used for five minutes', async () => {
  httpError = { method: sync, status: 500 };
  expect(await sendTwice(290_000)).toBe(1);
});

test.each([
  [-32601, 'the method eth_sendRawTransactionSync does not exist'],
  [-32004, 'not implemented'],
  [-32600, 'Unsupported method: eth_sendRawTransactionSync'],
])('behavior: after error %d, %s, the synchronous broadcast is not tried again', async (code, message) => {
  rpcError = { method: sync, code, message };
  expect(await sendTwice(86_400_000)).toBe(1);
});

test.each([
  [-32000, 'header not found'],
  [-32002, 'resource not available'],
])('behavior: after error %d, %s, the synchronous broadcast is used again at once', async (code, message) => {
  rpcError = { method: sync, code, message };
  expect(await sendTwice(0)).toBe(2);
});
