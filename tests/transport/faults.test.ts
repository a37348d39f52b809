import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, type QuoteAnswer, WrongChainError } from '../../engine/index.ts';
import {
  createNodeClient,
  falsifyCallBlock,
  falsifyChainId,
  falsifyHeader,
  freezeHead,
  type RpcFault,
  type Sandbox,
  type SandboxChain,
  startSandbox,
} from '../../sandbox/index.ts';
import { always, openTwoNodes, priced, queriesOn, secret, type TwoNodes } from './twoNodes.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let nodes: TwoNodes;
let queryOf: ReturnType<typeof queriesOn>;
let expected: QuoteAnswer;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  // The stale-node tests need more blocks than the seeded chain has.
  await createNodeClient(chain.rpcUrl).call('anvil_mine', ['0x28', '0x2']);
  nodes = await openTwoNodes(chain);
  queryOf = queriesOn(chain);
  expected = await nodes.engineWith({}, 1).quote(queryOf('WETH', 'USDC', '2.5'));
});
afterEach(() => nodes.clearFaults());
afterAll(async () => {
  await nodes?.close();
  await sandbox?.close();
});

const shift = (value: unknown, by: bigint) => `0x${(BigInt(value as string) + by).toString(16)}`;
const otherHash = `0x${'ab'.repeat(32)}`;

const faults: Record<string, RpcFault> = {
  'drops the connection': { kind: 'drop' },
  'never responds': { kind: 'hang' },
  'responds after a minute': { kind: 'delay', ms: 60_000 },
  'truncates its response': { kind: 'truncate' },
  'half-closes the connection': { kind: 'halfClose' },
  'closes the connection before the response arrives': { kind: 'loseReply' },
  'limits requests with 429 and Retry-After': { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
  'returns 500': { kind: 'status', status: 500, body: `no such key: ${secret}` },
  'returns HTML': { kind: 'html' },
  'returns 50 MB': { kind: 'flood', bytes: 50_000_000 },
  'returns JSON that is not JSON-RPC': { kind: 'status', status: 200, body: '{"hello":"world"}' },
  'rejects every call': {
    kind: 'rewrite',
    reply: (_text, calls) =>
      JSON.stringify(
        calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: `limit of ${secret}` } })),
      ),
  },
  'returns null for every call': {
    kind: 'rewrite',
    reply: (_text, calls) => JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: null }))),
  },
  'returns malformed results for every call': {
    kind: 'rewrite',
    reply: (_text, calls) =>
      JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: `0x${'zz'.repeat(999)}` }))),
  },
  'returns a header with another number': falsifyHeader((header) => ({
    ...header,
    number: shift(header.number, 1_000n),
  })),
  'returns a header with another timestamp': falsifyHeader((header) => ({
    ...header,
    timestamp: shift(header.timestamp, 60n),
  })),
  'returns a header with another parent hash': falsifyHeader((header) => ({ ...header, parentHash: otherHash })),
  'returns no header': falsifyHeader(() => null as never),
  'runs calls in another block than its header': falsifyCallBlock(2, (number) => number - 5n),
  'runs calls at another timestamp than its header': falsifyCallBlock(3, (timestamp) => timestamp + 60n),
  'runs calls on another parent than its header': falsifyCallBlock(4, () => 7n),
  'prices another amount': falsifyCallBlock(7, (amountIn) => amountIn + 1n),
  'returns another layout version': falsifyCallBlock(0, () => 99n),
  'returns a layout version of 2^255': falsifyCallBlock(0, () => 2n ** 255n),
  'answers for another token': replaceTokenOut('0x940181a94A35A4569E4529A3CDfB74e38FD98631'),
  'returns words of all ones': falsifyCallBlock(10, () => 2n ** 256n - 1n),
};

/** Replaces `tokenOut` in lens calls, as a cache that returns the response to another request. */
function replaceTokenOut(tokenOut: string): RpcFault {
  const word = tokenOut.slice(2).toLowerCase().padStart(64, '0');
  const replaceToken = (param: unknown) => {
    const { data } = (param ?? {}) as { data?: string };
    // The second argument word is tokenOut.
    return data && data.length > 1_000
      ? { ...(param as object), data: data.slice(0, 74) + word + data.slice(138) }
      : param;
  };
  return {
    kind: 'alter',
    rewrite: (calls) => calls.map((call) => ({ ...call, params: call.params.map(replaceToken) })),
  };
}

test.each(Object.entries(faults))('returns the second node’s exact answer when the first %s', async (_what, fault) => {
  always(nodes.proxies[0], fault);
  const engine = nodes.engineWith();
  expect(priced(await engine.quote(queryOf('WETH', 'USDC', '2.5')))).toEqual(priced(expected));
  expect(nodes.reads()[1]).toBeGreaterThan(0);
});

test.each(Object.entries(faults))('returns the first node’s exact answer when the second %s', async (_what, fault) => {
  always(nodes.proxies[1], fault);
  const engine = nodes.engineWith();
  expect(priced(await engine.quote(queryOf('WETH', 'USDC', '2.5')))).toEqual(priced(expected));
});

test.each(Object.entries(faults))('throws an error without the URL when the only node %s', async (_what, fault) => {
  always(nodes.proxies[0], fault);
  const error = await nodes
    .engineWith({ deadlineMs: 400 }, 1)
    .quote(queryOf('WETH', 'USDC', '2.5'))
    .catch((reason: unknown) => reason);
  expect(error instanceof ChainUnavailableError || error instanceof DeadlineExceededError).toBe(true);
  expect(String(error)).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1|http`));
});

test('a fault that starts between two requests affects neither', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  for (const [tokenIn, tokenOut, size] of [
    ['WETH', 'USDC', '1'],
    ['OAK', 'ELM', '10'],
  ] as const) {
    const before = priced(await engine.quote(queryOf(tokenIn, tokenOut, size)));
    for (const fault of Object.values(faults)) {
      always(nodes.proxies[0], fault);
      expect(priced(await engine.quote(queryOf(tokenIn, tokenOut, size)))).toEqual(before);
      nodes.clearFaults();
    }
  }
});

test('rejects a header hash that does not match its fields, once a hash of the chain has matched', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  const wrongHash = falsifyHeader((header) => ({ ...header, hash: otherHash }));
  always(nodes.proxies[0], wrongHash);
  expect(priced(await engine.quote(queryOf('WETH', 'USDC', '2.5')))).toEqual(priced(expected));
  always(nodes.proxies[1], wrongHash);
  await expect(engine.quote(queryOf('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
});

test('does not cache token data of a rejected answer', async () => {
  const engine = nodes.engineWith({}, 1);
  const query = queryOf('BIRCH', 'USDC', '10');
  for (const version of [9n, 99n, 2n ** 255n]) {
    always(
      nodes.proxies[0],
      falsifyCallBlock(0, () => version),
    );
    await expect(engine.quote(query)).rejects.toThrow(ChainUnavailableError);
    nodes.clearFaults();
    expect((await engine.quote(query)).amountOut).toBeGreaterThan(0n);
  }
});

test('rejects the answer of a stalled node far behind the other', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  always(nodes.proxies[0], freezeHead(Number(expected.blockNumber) - 20));
  expect((await engine.quote(queryOf('WETH', 'USDC', '2.5'))).blockNumber).toBe(expected.blockNumber);
  expect(expected.blockNumber).toBeGreaterThan(40n);
  // The same holds while the other node, which was recently ahead, is down.
  always(nodes.proxies[1], { kind: 'drop' });
  await expect(engine.quote(queryOf('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
});

test('accepts a node a few blocks behind and reports its block number', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  always(nodes.proxies[0], freezeHead(Number(expected.blockNumber) - 3));
  always(nodes.proxies[1], { kind: 'drop' });
  expect((await engine.quote(queryOf('WETH', 'USDC', '2.5'))).blockNumber).toBe(expected.blockNumber - 3n);
});

test('throws WrongChainError at start; later uses the other node and stops requests to the wrong one', async () => {
  let now = 1_000_000;
  always(nodes.proxies[0], falsifyChainId(1));
  await expect(nodes.engineWith().start()).rejects.toThrow(WrongChainError);

  nodes.clearFaults();
  const engine = nodes.engineWith({ now: () => now });
  await engine.start();
  // After an outage a node of another chain serves the same URL.
  always(nodes.proxies[0], { kind: 'drop' });
  always(nodes.proxies[1], { kind: 'drop' });
  for (let times = 0; times < 2; times += 1) {
    await expect(engine.quote(queryOf('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
  }
  expect(engine.chainState('base')).toMatchObject({ status: 'down' });
  nodes.clearFaults();
  always(nodes.proxies[0], falsifyChainId(1));
  now += 30_000;
  expect(priced(await engine.quote(queryOf('WETH', 'USDC', '2.5')))).toMatchObject({
    amountOut: expected.amountOut,
  });
  await expect.poll(() => nodes.proxies[0].requests.length).toBe(1);
  now += 20_000;
  await engine.quote(queryOf('WETH', 'USDC', '2.5'));
  expect(nodes.proxies[0].requests).toHaveLength(1);
});

test('pauses a node for Retry-After and reports the delay when no other node is left', async () => {
  let now = 1_000_000;
  const engine = nodes.engineWith({ now: () => now }, 1);
  await engine.start();
  always(nodes.proxies[0], { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
  const error = await engine.quote(queryOf('WETH', 'USDC', '2.5')).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ChainUnavailableError', retryAfterSeconds: 7 });
  expect(engine.chainState('base')).toEqual({ status: 'down', retryAfterSeconds: 7 });
  nodes.clearFaults();
  now += 6_999;
  await expect(engine.quote(queryOf('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
  expect(nodes.proxies[0].requests).toHaveLength(0);
  now += 1;
  expect((await engine.quote(queryOf('WETH', 'USDC', '2.5'))).amountOut).toBe(expected.amountOut);
});

test('sends single calls to a node without batch support, with the same result', async () => {
  const [proxy] = nodes.proxies;
  proxy.fault = (calls) => (calls.length > 1 ? { kind: 'status', status: 400, body: 'no batches' } : undefined);
  const engine = nodes.engineWith({}, 1);
  await engine.start();
  const tried = proxy.requests.filter(({ calls }) => calls.length > 1).length;
  expect(priced(await engine.quote(queryOf('WETH', 'USDC', '2.5')))).toEqual(priced(expected));
  expect(proxy.requests.filter(({ calls }) => calls.length > 1)).toHaveLength(tried);
});

test('every eth_call sets gas below 25 million', async () => {
  const plain = nodes.engineWith({}, 1);
  await plain.quote(queryOf('OAK', 'ELM', '10'));
  nodes.proxies[0].fault = (calls) => (calls.some(({ params }) => params.length > 2) ? { kind: 'html' } : undefined);
  await nodes
    .engineWith({ deadlineMs: 500 }, 1)
    .quote(queryOf('OAK', 'ELM', '10'))
    .catch(() => undefined);
  const calls = nodes.proxies[0].requests
    .flatMap((request) => request.calls)
    .filter(({ method }) => method === 'eth_call');
  expect(calls.length).toBeGreaterThan(1);
  for (const { params } of calls) {
    const { gas } = params[0] as { gas: string };
    expect(Number(gas)).toBeGreaterThan(0);
    expect(Number(gas)).toBeLessThan(25_000_000);
  }
  expect(inspect(calls)).not.toContain(secret);
});
