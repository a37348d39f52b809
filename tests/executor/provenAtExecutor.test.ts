import { type Address, concat, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toTransaction } from '../../client/index.ts';
import { type Engine, multicall3, type RpcCall, type RpcEndpoint } from '../../engine/index.ts';
import type { ExecutionReading } from '../../engine/quote/plan/executionTypes.ts';
import { createExecutorMemory } from '../../engine/quote/transaction/executorState.ts';
import { type Sandbox, type SandboxChain, type SandboxPool, startSandbox } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { engineOver, tokenOf } from '../engine/market.ts';
import { hop, planExecutorOn, planOf } from '../engine/planMarket.ts';
import { testNode } from '../support/engine/testNode.ts';
import { findWallet } from '../support/findWallet.ts';
import { asClientQuote, executorAddress, senderOn } from './openMarket.ts';
import { decodeProbe, executeCall, kinds, probeCall } from './plans.ts';
import { erc20Call } from './puppets.ts';

// Where a chain has the executor, the deployed contract proves the quote: the request contains no code of it.

let sandbox: Sandbox;
let chain: SandboxChain;
let trader: Address;
let sender: Awaited<ReturnType<typeof senderOn>>;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  trader = findWallet(sandbox.wallets, 'trader').address;
  sender = await senderOn(chain, trader);
}, 120_000);
afterAll(() => sandbox?.close());

type Override = Record<Address, { code?: Hex }>;

/** An engine that has sold WETH before, and the calls that it sends. */
async function engineWithCalls(seesExecutor: boolean) {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const calls: RpcCall[] = [];
  const endpoint: RpcEndpoint = {
    label: 'recording',
    send: (batch, options) => {
      calls.push(...batch);
      return inner.send(batch, options);
    },
  };
  const engine = engineOver(chain, endpoint);
  await engine.start();
  if (seesExecutor) await engine.refreshDeployments();
  await quoteOf(engine, 'WETH', 'cbBTC', '1');
  calls.length = 0;
  return { engine, calls };
}

const quoteOf = (engine: Engine, sold: string, bought: string, tokenIn: string) =>
  engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, sold).address,
    tokenOut: tokenOf(chain, bought).address,
    size: { tokenIn },
  });

/** The calls through a contract that unpacks them and calls the executor. */
const proofsAt = (calls: readonly RpcCall[]) =>
  calls.filter(({ params: [call, , accounts] }) => {
    const { to = '0x' } = (call ?? {}) as { to?: Address };
    return ((accounts ?? {}) as Override)[to]?.code?.includes(executorAddress.toLowerCase().slice(2));
  });

const codeOf = (calls: readonly RpcCall[]) =>
  calls
    .flatMap(({ params }) => Object.values((params[2] ?? {}) as Override))
    .reduce((sum, { code = '0x' }) => sum + code.length, 0);

test('a known pair is proven by a call of the deployed executor, without its code, and pays the same', async () => {
  const [deployed, random] = [await engineWithCalls(true), await engineWithCalls(false)];
  // The first quote of a market reads the states and tries routes; the second executes the predicted plan.
  for (const { engine } of [deployed, random]) await quoteOf(engine, 'WETH', 'USDC', '1');
  for (const { calls } of [deployed, random]) calls.length = 0;
  const [proven, other] = [
    await quoteOf(deployed.engine, 'WETH', 'USDC', '1'),
    await quoteOf(random.engine, 'WETH', 'USDC', '1'),
  ];
  expect(proofsAt(deployed.calls).length).toBeGreaterThan(0);
  expect(proofsAt(random.calls)).toHaveLength(0);
  expect(codeOf(random.calls) - codeOf(deployed.calls)).toBeGreaterThan(15_000);
  expect(proven.amountOut).toBe(other.amountOut);
  const sizes = [deployed, random].map(({ calls }) => JSON.stringify(calls).length);
  console.log(`known pair: ${sizes[0]} bytes of calls with the executor, ${sizes[1]} without`);
  const gasFlagOf = ({ flags }: typeof proven) => flags.find(({ code }) => code === 'ROUTE_GAS');
  expect(gasFlagOf(proven)?.facts).toHaveProperty('executor', executorAddress);
  expect(gasFlagOf(other)?.facts).not.toHaveProperty('executor');

  // The quote names the executor, so its transaction uses the executor by default.
  const quote = asClientQuote(proven);
  const transaction = toTransaction(quote, { taker: trader, slippageBps: 0 });
  expect(transaction.to).toBe(executorAddress);
  expect(toTransaction(asClientQuote(other), { taker: trader, slippageBps: 0, via: 'executor' }).data).toHaveLength(
    transaction.data.length,
  );
  const { ok, received } = await sender.restored(() => sender.execute(quote, transaction));
  expect([ok, received]).toEqual([true, BigInt(proven.amountOut)]);
});

test('an executor that the node does not have at the block is replaced by a placed lens', async () => {
  const { engine, calls } = await engineWithCalls(true);
  const expected = await quoteOf(engine, 'WETH', 'USDC', '1.5');
  await sender.restored(async () => {
    await sender.node.call('anvil_setCode', [executorAddress, '0x']);
    const answer = await quoteOf(engine, 'WETH', 'USDC', '1.5');
    expect(answer.amountOut).toBe(expected.amountOut);
    // A client would call an address without code, which succeeds and does nothing.
    expect(answer.flags.find(({ code }) => code === 'ROUTE_GAS')?.facts).not.toHaveProperty('executor');
    // For 30 seconds, no quote pays for a second request.
    calls.length = 0;
    expect((await quoteOf(engine, 'WETH', 'USDC', '1.5')).amountOut).toBe(expected.amountOut);
    expect(proofsAt(calls)).toEqual([]);
    // The call that reads the states of a new market executes routes too.
    const { amountOut, flags } = await quoteOf(engine, 'WETH', 'DAI', '1.5');
    expect(BigInt(amountOut)).toBeGreaterThan(0n);
    expect(flags.map(({ code }) => code)).not.toContain('QUOTERS_ONLY');
    // One result without the code may be wrong: the state is unknown until the second one.
    expect(engine.executorState('base')).toBe('deployed');
    await engine.refreshDeployments();
    expect(engine.executorState('base')).toBe('unread');
  });
});

test('a quote proven at a random address does not name the executor that is found before the answer', async () => {
  const inner = loopbackEndpoint(chain.rpcUrl);
  let findsExecutor: (() => Promise<void>) | undefined;
  const endpoint: RpcEndpoint = {
    label: 'finds the executor late',
    async send(batch, options) {
      const replies = await inner.send(batch, options);
      const found = findsExecutor;
      findsExecutor = undefined;
      await found?.();
      return replies;
    },
  };
  const engine = engineOver(chain, endpoint);
  await engine.start();
  // The third quote executes the plan in the request that reads the states.
  for (const tokenIn of ['1', '1.1']) await quoteOf(engine, 'WETH', 'USDC', tokenIn);
  findsExecutor = () => engine.refreshDeployments();
  const answer = await quoteOf(engine, 'WETH', 'USDC', '1');
  expect(engine.executorState('base')).toBe('deployed');
  expect(answer.flags.find(({ code }) => code === 'ROUTE_GAS')?.facts).not.toHaveProperty('executor');
});

test('an execution and a second probe succeed after a probe of the same transaction', async () => {
  const [weth, { usdc }] = [chain.wrappedNative, chain];
  const pool = chain.pools.find(
    ({ venue, token0, token1 }) =>
      venue === 'uniswap-v3' && [token0, token1].includes(weth) && [token0, token1].includes(usdc),
  );
  const leg = { kind: kinds.v3, pool: pool?.pool as Address, tokenIn: weth, tokenOut: usdc };
  const plan = { tokenIn: weth, tokenOut: usdc, amountIn: 10n ** 15n, native: weth, legs: [leg] };
  await sender.restored(async () => {
    await sender.send(erc20Call(weth, 'transfer', multicall3, plan.amountIn));
    await sender.node.call('anvil_impersonateAccount', [multicall3]);
    await sender.node.call('anvil_setBalance', [multicall3, numberToHex(10n ** 20n)]);
    const approval = {
      from: multicall3,
      ...erc20Call(weth, 'approve', executorAddress, plan.amountIn),
      gas: '0xfffff',
    };
    await sender.node.call('eth_sendTransactionSync', [approval]);
    const probe = probeCall([plan], [multicall3]);
    const calls = [probe, probe, executeCall({ plan, to: trader })].map(({ to: target, data: callData }) => ({
      target,
      allowFailure: true,
      callData,
    }));
    const abi = parseAbi([
      'struct Call { address target; bool allowFailure; bytes callData; }',
      'struct Result { bool success; bytes returnData; }',
      'function aggregate3(Call[] calls) payable returns (Result[])',
    ]);
    const data = encodeFunctionData({ abi, args: [calls] });
    const answer = await sender.node.call<Hex>('eth_call', [{ to: multicall3, data, gas: '0x1c9c380' }, 'latest']);
    const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: answer });
    expect(results.map(({ success }) => success)).toEqual([true, true, true]);
    expect(decodeProbe(results[1]?.returnData ?? '0x', [plan])[0]?.received).toBeGreaterThan(0n);
  });
});

/** Code that reverts if the executor calls `transferFrom`, and otherwise runs the code at `implementation`. */
function refusingExecutor(implementation: Address): Hex {
  const isTransferFrom: Hex = '0x5f3560e01c6323b872dd14';
  const isExecutor = concat(['0x3373', executorAddress, '0x14']);
  const run = concat(['0x365f5f375f5f365f73', implementation, '0x5af43d5f5f3e']);
  const body = concat([isTransferFrom, isExecutor, '0x1660', '0x00', '0x57', run]);
  const at = (body.length - 2) / 2;
  const ok = numberToHex(at + 6, { size: 1 });
  const fail = numberToHex(at + 10, { size: 1 });
  const head = concat([isTransferFrom, isExecutor, '0x1660', fail, '0x57', run]);
  return concat([head, '0x60', ok, '0x573d5ffd', '0x5b3d5ff3', '0x5b5f5ffd']);
}

async function refuseExecutor(token: Address): Promise<void> {
  const node = createNodeClient(chain.rpcUrl);
  const implementation = numberToHex(0x0a4, { size: 20 });
  await node.call('anvil_setCode', [implementation, await node.call<Hex>('eth_getCode', [token, 'latest'])]);
  await node.call('anvil_setCode', [token, refusingExecutor(implementation)]);
}

test('a token that refuses the executor fills at a random address, with the flag ROUTER_DEPENDENT', async () => {
  const oak = tokenOf(chain, 'OAK').address;
  const { engine, calls } = await engineWithCalls(true);
  const before = await quoteOf(engine, 'OAK', 'WETH', '5');
  expect(before.flags.map(({ code }) => code)).not.toContain('ROUTER_DEPENDENT');
  await sender.restored(async () => {
    await refuseExecutor(oak);
    const answer = await quoteOf(engine, 'OAK', 'WETH', '5');
    expect(answer.amountOut).toBe(before.amountOut);
    const flag = answer.flags.find(({ code }) => code === 'ROUTER_DEPENDENT');
    expect(flag?.severity).toBe('warn');
    const quote = asClientQuote(answer);
    const options = { taker: trader, slippageBps: 0 };
    expect(() => toTransaction(quote, { ...options, via: 'executor' })).toThrow('ROUTER_DEPENDENT');
    // The next quote of the pair does not try the executor again.
    calls.length = 0;
    const again = await quoteOf(engine, 'OAK', 'WETH', '5');
    expect(proofsAt(calls)).toEqual([]);
    expect(again.flags.map(({ code }) => code)).toContain('ROUTER_DEPENDENT');
    // A request without the quote's flags is refused too.
    const { chain: name, tokenIn, tokenOut, amountIn, amountOut, route } = answer;
    const order = { tokenIn, tokenOut, amountIn, amountOut, legs: route.legs, slippageBps: 0, deadline: 2n ** 40n };
    expect(() => engine.buildTransaction(name, { ...order, receiver: trader })).toThrow('ROUTER_DEPENDENT');
  });
});

test('a plan that the executor refuses is not executed elsewhere if another plan filled in the executor', async () => {
  const oak = tokenOf(chain, 'OAK').address;
  const pool = chain.pools.find(({ token0, token1 }) => [token0, token1].includes(oak)) as SandboxPool;
  const bought = pool.token0 === oak ? pool.token1 : pool.token0;
  const plan = planOf(10n ** 18n, hop(chain, oak, bought, [[pool, 10_000]]));
  const executor = createExecutorMemory(Date.now);
  const { endpoint, execute } = planExecutorOn(chain, executor);
  const signal = AbortSignal.timeout(10_000);
  const node = testNode({ chain: 'base', send: (calls) => endpoint.send(calls, { signal }) });
  await executor.read({ read: (at) => at(node), readEach: (at) => Promise.allSettled([at(node)]) });
  const isRefused = () => executor.isRefused(plan.tokenIn, plan.tokenOut);
  const statusesOf = ({ executions }: ExecutionReading) => executions.map(({ run }) => run.status);
  const { executions: filled } = await execute([{ plan }]);
  await sender.restored(async () => {
    await refuseExecutor(oak);
    // An attacker can add such a plan to any pair: its tokens must not lose the executor.
    expect([statusesOf(await execute([{ plan }], filled)), isRefused()]).toEqual([['reverted'], false]);
    expect([statusesOf(await execute([{ plan }])), isRefused()]).toEqual([['filled'], true]);
  });
});
