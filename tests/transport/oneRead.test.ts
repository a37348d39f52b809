import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { byChain } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { openTwoNodes, priced, queriesOn, type TwoNodes } from './twoNodes.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let nodes: TwoNodes;
let queryOf: ReturnType<typeof queriesOn>;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  nodes = await openTwoNodes(chain);
  queryOf = queriesOn(chain);
});
afterEach(() => nodes.clearFaults());
afterAll(async () => {
  await nodes?.close();
  await sandbox?.close();
});

const bytes = (answer: unknown) =>
  JSON.stringify(answer, (_key, value) => (typeof value === 'bigint' ? value.toString() : value));

test('a hundred concurrent requests share one read and get the same bytes until validUntil', async () => {
  let now = 5_000;
  const engine = nodes.engineWith({ now: () => now, freshnessMs: byChain(() => 4_000) }, 1);
  const requests = Array.from({ length: 100 }, () => engine.quote(queryOf('WETH', 'USDC', '2.5')));
  const answers = new Set((await Promise.all(requests)).map(bytes));
  now = 8_999;
  answers.add(bytes(await engine.quote(queryOf('WETH', 'USDC', '2.50'))));
  expect(answers.size).toBe(1);
  // One read of the states, one of how to fund the token, one of the executions, and one of the factories' fee modules.
  expect(nodes.reads()).toEqual([4, 0]);
  now = 9_000;
  answers.add(bytes(await engine.quote(queryOf('WETH', 'USDC', '2.5'))));
  expect(answers.size).toBe(2);
  expect(nodes.reads()).toEqual([5, 0]);
});

test('aborting one caller does not cancel the shared read, and a failed read is not cached', async () => {
  const engine = nodes.engineWith({ freshnessMs: byChain(() => 60_000) }, 1);
  const leaving = new AbortController();
  const query = queryOf('OAK', 'USDC', '3');
  const [gone, stays] = [engine.quote(query, { signal: leaving.signal }), engine.quote(query)];
  leaving.abort(new RangeError('the client disconnected'));
  await expect(gone).rejects.toThrow('the client disconnected');
  expect((await stays).amountOut).toBeGreaterThan(0n);
  // Three reads, and the logs of OAK with its balances at uncovered venues.
  expect(nodes.reads()).toEqual([4, 0]);

  nodes.proxies[0].fault = () => ({ kind: 'drop' });
  await expect(engine.quote(queryOf('OAK', 'USDC', '4'))).rejects.toThrow('No RPC node of base');
  nodes.clearFaults();
  expect((await engine.quote(queryOf('OAK', 'USDC', '4'))).amountOut).toBeGreaterThan(0n);
});

test('retries on a newer block when the block is pruned between two reads: once at once, then after pauses', async () => {
  const [proxy] = nodes.proxies;
  const query = { ...queryOf('OAK', 'USDC', '1'), size: { usd: '3000' } };
  // Only a new market takes two reads, so each quote uses a new engine.
  const quoteNew = () => nodes.engineWith({}, 1).quote(query);
  const expected = await quoteNew();
  let pruned = 0;
  const prune = (times: number) => {
    pruned = 0;
    nodes.clearFaults();
    proxy.fault = (calls) => {
      const pinned = calls.some(({ method, params }) => method === 'eth_call' && params[1] !== 'latest');
      if (!pinned || pruned >= times) return undefined;
      pruned += 1;
      return {
        kind: 'rewrite',
        reply: () =>
          JSON.stringify(
            calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'missing trie node' } })),
          ),
      };
    };
  };
  for (const times of [1, 2]) {
    prune(times);
    expect(priced(await quoteNew())).toEqual(priced(expected));
    expect(pruned).toBe(times);
  }
  prune(Number.POSITIVE_INFINITY);
  await expect(quoteNew()).rejects.toThrow('No RPC node of base');
  expect(pruned).toBeGreaterThan(2);
});

/** The reply to a batch, with the result of its first call of the lens for plans changed. */
function withExecution(text: string, change: (words: string[]) => string[]): string {
  const replies = JSON.parse(text) as { id: number; result?: unknown }[];
  const answers = replies.filter(({ result }) => typeof result === 'string' && result.length > 1_000);
  const [execution] = answers.toSorted((left, right) => left.id - right.id);
  if (!execution || answers.length < 2) throw new TypeError('The batch has no executions beside the states.');
  const words = String(execution.result).slice(2).match(/.{64}/g) ?? [];
  execution.result = `0x${change(words).join('')}`;
  return JSON.stringify(replies);
}

test('executes the plan again if its execution has another parent block than the states', async () => {
  const [proxy] = nodes.proxies;
  const engine = nodes.engineWith({}, 1);
  const quote = () => engine.quote(queryOf('WETH', 'USDC', '2.5'));
  const expected = await quote();
  nodes.clearFaults();
  // Executions of the predicted plan share the request of the states.
  await quote();
  expect(nodes.reads()).toEqual([1, 0]);

  nodes.clearFaults();
  // A backend that does not know the parent of its block cannot prove that it executed on the same fork.
  let changed = 0;
  proxy.fault = () =>
    changed++ > 0
      ? undefined
      : {
          kind: 'rewrite',
          reply: (text) => withExecution(text, (words) => words.with(4, '0'.repeat(64))),
        };
  expect(priced(await quote())).toEqual(priced(expected));
  expect(nodes.reads()).toEqual([2, 0]);
});
