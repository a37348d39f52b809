import type { Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  byChain,
  createEngine,
  type Engine,
  type EnginePorts,
  type RpcCall,
  type RpcEndpoint,
} from '../../engine/index.ts';
import { stateSelector } from '../../engine/pools/encodeStateCall.ts';
import { type Sandbox, type SandboxChain, type SandboxWallet, startSandbox } from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOn, engineOver, tokenOf } from './market.ts';

/** The call that reads the states of a new market also executes a few routes. */

let sandbox: Sandbox;
let chain: SandboxChain;
let trader: SandboxWallet;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

const quoteOf = (engine: Engine, sold: string, bought: string, tokenIn: string) =>
  engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, sold).address,
    tokenOut: tokenOf(chain, bought).address,
    size: { tokenIn },
  });

/** The connection counts as busy in all tests that do not add a pause. */
let now = Date.now();
const clock = { now: () => now };

/** An engine that has sold the token before, in another market. */
async function engineThatSold(sold: string, other: string, over?: RpcEndpoint, ports: Partial<EnginePorts> = {}) {
  const endpoint: CountingEndpoint = loopbackEndpoint(chain.rpcUrl);
  const engine = engineOver(chain, over ?? endpoint, [], { ...clock, ...ports });
  await engine.start();
  await quoteOf(engine, sold, other, '1');
  return { engine, endpoint };
}

test('a new market takes one request if the best plan is one of the executed routes', async () => {
  // Pools with hooks are sampled in a request of their own, so none is listed.
  const { engine, endpoint } = await engineThatSold('WETH', 'cbBTC', undefined, { extraV4Shapes: {} });
  const before = endpoint.requests;
  const answer = await quoteOf(engine, 'WETH', 'USDC', '0.5');
  expect(endpoint.requests - before).toBe(1);
  const known = await quoteOf(engine, 'WETH', 'USDC', '0.5');
  const { ts: _, validUntil: __, ...facts } = known;
  const gas = facts.flags.find(({ code }) => code === 'ROUTE_GAS');
  // The state read warmed the pools, so the execution used less gas.
  expect(answer.flags.find(({ code }) => code === 'ROUTE_GAS')?.message).toContain('use at least');
  expect(gas?.message).not.toContain('at least');
  const flags = facts.flags.map((flag) => (flag === gas ? expect.objectContaining({ code: 'ROUTE_GAS' }) : flag));
  expect(answer).toMatchObject({ ...facts, flags });
  const paid = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(paid?.received).toBe(answer.amountOut);
});

test('after a pause a new market sends two round trips of bytes, then the plan, if the chain has no executor', async () => {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const sent: number[] = [];
  const endpoint: RpcEndpoint = {
    label: 'counted',
    send: (calls, options) => {
      sent.push(JSON.stringify(calls).length);
      return inner.send(calls, options);
    },
  };
  const { engine } = await engineThatSold('WETH', 'cbBTC', endpoint, { extraV4Shapes: {} });
  now += 5_000;
  sent.length = 0;
  const answer = await quoteOf(engine, 'WETH', 'USDC', '0.5');
  expect(sent).toHaveLength(2);
  // TCP sends 10 segments of 1,448 bytes after a pause, then 20. The HTTP header and the envelope of each call are in addition.
  expect(sent[0]).toBeLessThanOrEqual(42_500);
  expect(sent[1]).toBeLessThanOrEqual(28_000);
  expect(answer.amountOut).toBe((await quoteOf(engineOn(chain).engine, 'WETH', 'USDC', '0.5')).amountOut);
});

test('a new token over one routing asset takes one round trip, even if the mid is that of a deeper pool', async () => {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const ports = { ...clock, rpc: { base: [endpoint] }, freshnessMs: byChain(() => 0), deadlineMs: 30_000 };
  const engine = createEngine(ports);
  await quoteOf(engine, 'WETH', 'cbBTC', '1');
  const before = endpoint.requests;
  const answer = await quoteOf(engine, 'WETH', 'OAK', '0.2');
  // The states and, concurrently, the factories' logs.
  expect(endpoint.requests - before).toBe(2);
  expect(answer.route.legs).toHaveLength(2);
  const paid = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(paid?.received).toBe(answer.amountOut);
});

test.each([
  ['without listed hooks, one round trip', [], 2],
  ['with listed hooks between WETH and USDC, one more request for the routes over these pools', undefined, 3],
] as const)('a new token over one hop takes, %s', async (_, shapes, requests) => {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const engine = engineOver(chain, endpoint, [], { ...clock, ...(shapes && { extraV4Shapes: { base: [...shapes] } }) });
  await quoteOf(engine, 'WETH', 'cbBTC', '1');
  const before = endpoint.requests;
  await quoteOf(engine, 'WETH', 'OAK', '0.2');
  expect(endpoint.requests - before).toBe(requests);
});

test('quotes of a new market equal those of an engine that has not sold the token', async () => {
  const symbols = ['WETH', 'USDC', 'cbBTC', 'DAI', 'USDT', 'BIRCH'];
  const sizes = { WETH: '1', USDC: '3000', cbBTC: '0.05', DAI: '3000', USDT: '3000', BIRCH: '100' };
  let [single, once] = [0, 0];
  for (const sold of symbols) {
    for (const bought of symbols.filter((symbol) => symbol !== sold)) {
      const other = symbols.find((symbol) => symbol !== sold && symbol !== bought) as string;
      const { engine, endpoint } = await engineThatSold(sold, other);
      const size = sizes[sold as keyof typeof sizes];
      const before = endpoint.requests;
      const answer = await quoteOf(engine, sold, bought, size);
      const requests = endpoint.requests - before;
      const { engine: fresh } = engineOn(chain);
      const expected = await quoteOf(fresh, sold, bought, size);
      expect([answer.amountOut, answer.spotPrice, answer.confidence]).toEqual([
        expected.amountOut,
        expected.spotPrice,
        expected.confidence,
      ]);
      if (answer.route.legs.every(({ shareBps }) => shareBps === 10_000)) {
        single += 1;
        if (requests === 1) once += 1;
      }
    }
  }
  console.log(`${once} of ${single} single routes took one request`);
  // 17 of the 30 answers are splits, which take a second request.
  expect(once).toBeGreaterThanOrEqual(6);
});

test('takes one more request and returns the same quote if the plan lens fails in the first', async () => {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const endpoint: RpcEndpoint = {
    label: 'without plan lens',
    send: (calls, options) =>
      inner.send(
        calls.map((call) => withPlanLens(call, (lens) => ({ replaced: { ...lens, code: '0xfe' } }))),
        options,
      ),
  };
  const { engine } = await engineThatSold('WETH', 'cbBTC', endpoint);
  const before = inner.requests;
  const answer = await quoteOf(engine, 'WETH', 'USDC', '0.5');
  expect(inner.requests - before).toBe(2);
  expect(answer.amountOut).toBe((await quoteOf(engineOn(chain).engine, 'WETH', 'USDC', '0.5')).amountOut);
  expect(answer.confidence).toBe('high');
});

test.each([1_350_000, 1_700_000, 2_000_000, 2_400_000, 3_000_000, 4_000_000, 5_000_000])(
  'returns the same answer if the state read leaves %d gas for the executions',
  async (gas) => {
    const inner = loopbackEndpoint(chain.rpcUrl);
    const endpoint: RpcEndpoint = {
      label: 'little gas',
      send: (calls, options) =>
        inner.send(
          calls.map((call) => withPlanLens(call, limited(gas))),
          options,
        ),
    };
    const { engine } = await engineThatSold('WETH', 'cbBTC', endpoint);
    const answer = await quoteOf(engine, 'WETH', 'USDC', '0.5');
    const fresh = await quoteOf(engineOn(chain).engine, 'WETH', 'USDC', '0.5');
    expect([answer.amountOut, answer.worstCaseSlippageBps, answer.confidence]).toEqual([
      fresh.amountOut,
      fresh.worstCaseSlippageBps,
      fresh.confidence,
    ]);
  },
);

type Accounts = Record<Hex, { code?: Hex }>;

/** Moves the plan lens to another address. Code at its own address delegates to it with a gas limit. */
const limited =
  (gas: number) =>
  (lens: { code?: Hex }): { replaced: { code?: Hex }; more: Accounts } => {
    const address = '0x00000000000000000000000000000000000b1a5e';
    const call = `5f5f365f73${address.slice(2)}63${gas.toString(16).padStart(8, '0')}f4`;
    const code: Hex = `0x365f5f37${call}3d5f5f3e602d573d5ffd5b3d5ff3`;
    return { replaced: { ...lens, code }, more: { [address]: { code: lens.code as Hex } } };
  };

/** A call of the state lens with another plan lens. */
function withPlanLens(
  call: RpcCall,
  replace: (lens: { code?: Hex }) => { replaced: { code?: Hex }; more?: Accounts },
): RpcCall {
  const [first, block, accounts] = call.params as [{ to?: Hex; data?: Hex }, Hex, Accounts];
  if (!first?.data?.startsWith(stateSelector)) return call;
  const changed = Object.entries(accounts).map(([address, account]) => {
    if (!account.code || address === first.to) return { [address]: account };
    const { replaced, more } = replace(account);
    return { [address]: replaced, ...more };
  });
  return { ...call, params: [first, block, Object.assign({}, ...changed)] };
}
