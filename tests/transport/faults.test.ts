import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ChainUnavailableError, DeadlineExceededError, type QuoteAnswer, WrongChainError } from '../../engine/index.ts';
import {
  lieAboutChain,
  lieAboutHeader,
  lieInsideCalls,
  type RpcFault,
  type Sandbox,
  type SandboxChain,
  standStillAt,
  startSandbox,
} from '../../sandbox/index.ts';
import { always, asker, openTwoNodes, priced, secret, type TwoNodes } from './twoNodes.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let nodes: TwoNodes;
let ask: ReturnType<typeof asker>;
let truth: QuoteAnswer;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  // Some blocks of two seconds to stand behind in; the seeded chain has but a few.
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x28', '0x2'] });
  await fetch(chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  nodes = await openTwoNodes(chain);
  ask = asker(chain);
  truth = await nodes.engineWith({}, 1).quote(ask('WETH', 'USDC', '2.5'));
});
afterEach(() => nodes.heal());
afterAll(async () => {
  await nodes?.close();
  await sandbox?.close();
});

const shift = (value: unknown, by: bigint) => `0x${(BigInt(value as string) + by).toString(16)}`;
const otherHash = `0x${'ab'.repeat(32)}`;

const faults: Record<string, RpcFault> = {
  'drops the connection': { kind: 'drop' },
  'hangs for ever': { kind: 'hang' },
  'answers after a minute': { kind: 'delay', ms: 60_000 },
  'cuts its answer short': { kind: 'truncate' },
  'closes its half of the connection': { kind: 'halfClose' },
  'answers and then cuts the connection': { kind: 'loseReply' },
  'limits requests with 429 and Retry-After': { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
  'answers 500': { kind: 'status', status: 500, body: `no such key: ${secret}` },
  'answers a page': { kind: 'html' },
  'answers 50 MB': { kind: 'flood', bytes: 50_000_000 },
  'answers JSON that is no JSON-RPC': { kind: 'status', status: 200, body: '{"hello":"world"}' },
  'refuses every call': {
    kind: 'rewrite',
    reply: (_text, calls) =>
      JSON.stringify(
        calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: `limit of ${secret}` } })),
      ),
  },
  'answers null to every call': {
    kind: 'rewrite',
    reply: (_text, calls) => JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: null }))),
  },
  'answers nonsense to every call': {
    kind: 'rewrite',
    reply: (_text, calls) =>
      JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: `0x${'zz'.repeat(999)}` }))),
  },
  'shows a header of another number': lieAboutHeader((header) => ({ ...header, number: shift(header.number, 1_000n) })),
  'shows a header of another time': lieAboutHeader((header) => ({
    ...header,
    timestamp: shift(header.timestamp, 60n),
  })),
  'shows a header with another parent': lieAboutHeader((header) => ({ ...header, parentHash: otherHash })),
  'shows no header': lieAboutHeader(() => null as never),
  'runs calls in another block than it says': lieInsideCalls(2, (number) => number - 5n),
  'runs calls at another time than it says': lieInsideCalls(3, (timestamp) => timestamp + 60n),
  'runs calls on another parent than it says': lieInsideCalls(4, () => 7n),
  'prices another amount': lieInsideCalls(7, (amountIn) => amountIn + 1n),
  // Once remembered, and every later question about the token failed, whoever answered it.
  'names a holder that there is not': lieInsideCalls(9, () => 2n),
  'names a holder beyond counting': lieInsideCalls(9, () => 2n ** 255n),
  'answers another question': askFor('0x940181a94A35A4569E4529A3CDfB74e38FD98631'),
  'answers with words of ones': lieInsideCalls(10, () => 2n ** 256n - 1n),
};

/** A node, or a cache before it, that mixes questions up: it always tells what this token costs. */
function askFor(tokenOut: string): RpcFault {
  const word = tokenOut.slice(2).toLowerCase().padStart(64, '0');
  const turned = (param: unknown) => {
    const { data } = (param ?? {}) as { data?: string };
    // The second word of a question is tokenOut.
    return data && data.length > 1_000
      ? { ...(param as object), data: data.slice(0, 74) + word + data.slice(138) }
      : param;
  };
  return {
    kind: 'alter',
    ask: (calls) => calls.map((call) => ({ ...call, params: call.params.map(turned) })),
  };
}

test.each(Object.entries(faults))(
  'behavior: the first of two nodes %s: the other one’s answer, the same wei',
  async (_what, fault) => {
    always(nodes.proxies[0], fault);
    const engine = nodes.engineWith();
    expect(priced(await engine.quote(ask('WETH', 'USDC', '2.5')))).toEqual(priced(truth));
    expect(nodes.reads()[1]).toBeGreaterThan(0);
  },
);

test.each(Object.entries(faults))('behavior: the second of two nodes %s: nobody notices', async (_what, fault) => {
  always(nodes.proxies[1], fault);
  const engine = nodes.engineWith();
  expect(priced(await engine.quote(ask('WETH', 'USDC', '2.5')))).toEqual(priced(truth));
});

test.each(Object.entries(faults))(
  'error: the only node %s: an honest error that names no URL',
  async (_what, fault) => {
    always(nodes.proxies[0], fault);
    const error = await nodes
      .engineWith({ deadlineMs: 400 }, 1)
      .quote(ask('WETH', 'USDC', '2.5'))
      .catch((reason: unknown) => reason);
    expect(error instanceof ChainUnavailableError || error instanceof DeadlineExceededError).toBe(true);
    expect(String(error)).not.toMatch(new RegExp(`${secret}|127\\.0\\.0\\.1|http`));
  },
);

test('behavior: a fault that begins between two questions costs neither', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  for (const [tokenIn, tokenOut, size] of [
    ['WETH', 'USDC', '1'],
    ['OAK', 'ELM', '10'],
  ] as const) {
    const before = priced(await engine.quote(ask(tokenIn, tokenOut, size)));
    for (const fault of Object.values(faults)) {
      always(nodes.proxies[0], fault);
      expect(priced(await engine.quote(ask(tokenIn, tokenOut, size)))).toEqual(before);
      nodes.heal();
    }
  }
});

test('behavior: a header hash that its fields do not have is a lie, once the chain’s hashes were seen to agree', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  const lie = lieAboutHeader((header) => ({ ...header, hash: otherHash }));
  always(nodes.proxies[0], lie);
  expect(priced(await engine.quote(ask('WETH', 'USDC', '2.5')))).toEqual(priced(truth));
  always(nodes.proxies[1], lie);
  await expect(engine.quote(ask('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
});

test('behavior: what a liar told of a token is forgotten with his answer', async () => {
  const engine = nodes.engineWith({}, 1);
  const question = ask('BIRCH', 'USDC', '10');
  for (const holder of [2n, 99n, 2n ** 255n]) {
    always(
      nodes.proxies[0],
      lieInsideCalls(9, () => holder),
    );
    await expect(engine.quote(question)).rejects.toThrow(ChainUnavailableError);
    nodes.heal();
    expect((await engine.quote(question)).amountOut).toBeGreaterThan(0n);
  }
});

test('behavior: a node that stands still far behind the other is not believed', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  always(nodes.proxies[0], standStillAt(Number(truth.blockNumber) - 20));
  expect((await engine.quote(ask('WETH', 'USDC', '2.5'))).blockNumber).toBe(truth.blockNumber);
  expect(truth.blockNumber).toBeGreaterThan(40n);
  // Not even when the other, which was ahead a moment ago, does not answer.
  always(nodes.proxies[1], { kind: 'drop' });
  await expect(engine.quote(ask('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
});

test('behavior: a node that is a few blocks behind is believed, and says its own block', async () => {
  const engine = nodes.engineWith();
  await engine.start();
  always(nodes.proxies[0], standStillAt(Number(truth.blockNumber) - 3));
  always(nodes.proxies[1], { kind: 'drop' });
  expect((await engine.quote(ask('WETH', 'USDC', '2.5'))).blockNumber).toBe(truth.blockNumber - 3n);
});

test('error: WrongChainError at the start; later the other node answers, and the wrong one is left alone', async () => {
  let now = 1_000_000;
  always(nodes.proxies[0], lieAboutChain(1));
  await expect(nodes.engineWith().start()).rejects.toThrow(WrongChainError);

  nodes.heal();
  const engine = nodes.engineWith({ now: () => now });
  await engine.start();
  // Away for a while; what comes back behind the same URL is another chain's node.
  always(nodes.proxies[0], { kind: 'drop' });
  always(nodes.proxies[1], { kind: 'drop' });
  for (let times = 0; times < 2; times += 1) {
    await expect(engine.quote(ask('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
  }
  expect(engine.chainState('base')).toMatchObject({ status: 'down' });
  nodes.heal();
  always(nodes.proxies[0], lieAboutChain(1));
  now += 30_000;
  expect(priced(await engine.quote(ask('WETH', 'USDC', '2.5')))).toMatchObject({ amountOut: truth.amountOut });
  await expect.poll(() => nodes.proxies[0].requests.length).toBe(1);
  now += 20_000;
  await engine.quote(ask('WETH', 'USDC', '2.5'));
  expect(nodes.proxies[0].requests).toHaveLength(1);
});

test('behavior: Retry-After is kept: the node rests that long, and a chain with no other says so', async () => {
  let now = 1_000_000;
  const engine = nodes.engineWith({ now: () => now }, 1);
  await engine.start();
  always(nodes.proxies[0], { kind: 'status', status: 429, headers: { 'retry-after': '7' } });
  const error = await engine.quote(ask('WETH', 'USDC', '2.5')).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: 'ChainUnavailableError', retryAfterSeconds: 7 });
  expect(engine.chainState('base')).toEqual({ status: 'down', retryAfterSeconds: 7 });
  nodes.heal();
  now += 6_999;
  await expect(engine.quote(ask('WETH', 'USDC', '2.5'))).rejects.toThrow(ChainUnavailableError);
  expect(nodes.proxies[0].requests).toHaveLength(0);
  now += 1;
  expect((await engine.quote(ask('WETH', 'USDC', '2.5'))).amountOut).toBe(truth.amountOut);
});

test('behavior: a node that takes no batches is asked call by call, with the same result', async () => {
  const [proxy] = nodes.proxies;
  proxy.fault = (calls) => (calls.length > 1 ? { kind: 'status', status: 400, body: 'no batches' } : undefined);
  const engine = nodes.engineWith({}, 1);
  await engine.start();
  const tried = proxy.requests.filter(({ calls }) => calls.length > 1).length;
  expect(priced(await engine.quote(ask('WETH', 'USDC', '2.5')))).toEqual(priced(truth));
  expect(proxy.requests.filter(({ calls }) => calls.length > 1)).toHaveLength(tried);
});

test('behavior: every eth_call names its gas, below 25 million', async () => {
  const plain = nodes.engineWith({}, 1);
  await plain.quote(ask('OAK', 'ELM', '10'));
  nodes.proxies[0].fault = (calls) => (calls.some(({ params }) => params.length > 2) ? { kind: 'html' } : undefined);
  await nodes
    .engineWith({ deadlineMs: 500 }, 1)
    .quote(ask('OAK', 'ELM', '10'))
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
