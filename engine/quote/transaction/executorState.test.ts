import { expect, test } from 'vitest';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../../contracts/artifacts/executor/Executor.ts';
import { weightedFamilyArtifact } from '../../../contracts/artifacts/executor/WeightedFamily.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { createEngine } from '../../createEngine.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { createExecutorMemory } from './executorState.ts';

const { executor, families } = executorDeployment;
const deployed = new Map<string, string>([
  [executor.address, executorArtifact.runtime],
  ...families.map(({ address }): [string, string] => [address, weightedFamilyArtifact.runtime]),
]);

const header = {
  ...{ number: '0x10', timestamp: '0x10', baseFeePerGas: '0x1' },
  ...{ hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` },
};

/** An engine whose node has this code; a code of undefined makes it fail. */
function engineWith(codes: { now: ReadonlyMap<string, string> | undefined }, withdrawnExecutors: number[] = []) {
  const clock = { now: 1_000_000 };
  const sent: RpcCall[] = [];
  const answer = ({ method, params }: RpcCall): RpcReply => {
    if (method === 'eth_chainId') return { result: '0x2105' };
    if (method === 'eth_getBlockByNumber') return { result: header };
    if (method !== 'eth_getCode' || !codes.now) return { error: { code: -32_000, message: 'unavailable' } };
    return { result: codes.now.get(String(params[0])) ?? '0x' };
  };
  const send = async (calls: readonly RpcCall[]) => {
    sent.push(...calls);
    return calls.map(answer);
  };
  const engine = createEngine({
    rpc: { base: [{ label: 'base-1', send }] },
    now: () => clock.now,
    freshnessMs: { base: 4_000, polygon: 5_000, arbitrum: 2_000 },
    deadlineMs: 200,
    withdrawnExecutors,
  });
  return { engine, clock, sent };
}

test('reads the code once a minute while it is missing, and every ten minutes once it is there', async () => {
  const codes = { now: new Map<string, string>() };
  const { engine, clock, sent } = engineWith(codes);
  expect(engine.executorState('base')).toBe('unread');
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('missing');
  codes.now = deployed;
  clock.now += 59_000;
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('missing');
  clock.now += 1_000;
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('deployed');
  const readsOf = () => sent.filter(({ params }) => params[0] === executor.address).length;
  const before = readsOf();
  clock.now += 599_000;
  await engine.refreshDeployments();
  expect(readsOf()).toBe(before);
  // One result that contradicts an earlier one may be wrong.
  codes.now = new Map([[executor.address, executorArtifact.runtime]]);
  clock.now += 1_000;
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('unread');
  clock.now += 30_000;
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('missing');
});

test('other code at the address is missing', async () => {
  const { engine } = engineWith({ now: new Map([...deployed, [executor.address, '0x6001']]) });
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('missing');
});

test('a failed read keeps the last state', async () => {
  const codes: { now: ReadonlyMap<string, string> | undefined } = { now: deployed };
  const { engine, clock } = engineWith(codes);
  await engine.refreshDeployments();
  codes.now = undefined;
  clock.now += 600_000;
  await engine.refreshDeployments();
  expect(engine.executorState('base')).toBe('deployed');
});

test('a withdrawn version is never read or used; another version number changes nothing', async () => {
  const withdrawn = engineWith({ now: deployed }, [executorDeployment.version]);
  await withdrawn.engine.refreshDeployments();
  expect(withdrawn.engine.executorState('base')).toBe('withdrawn');
  expect(withdrawn.sent.filter(({ params }) => params[0] === executor.address)).toEqual([]);
  const other = engineWith({ now: deployed }, [executorDeployment.version + 1]);
  await other.engine.refreshDeployments();
  expect(other.engine.executorState('base')).toBe('deployed');
});

test('state and transaction send no request', async () => {
  const { engine, sent } = engineWith({ now: deployed });
  await engine.refreshDeployments();
  const before = sent.length;
  engine.executorState('base');
  const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224';
  const [tokenIn, tokenOut] = [
    '0x4200000000000000000000000000000000000006',
    '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  ] as const;
  const leg = {
    dex: 'uniswap-v3',
    venue: 'uniswap-v3',
    pool,
    tokenIn,
    tokenOut,
    feePips: 500,
    shareBps: 10_000,
  } as const;
  const { warnings } = engine.buildTransaction('base', {
    ...{ tokenIn, tokenOut, amountIn: 1n, amountOut: 1n, legs: [leg], slippageBps: 0, deadline: 2n ** 40n },
    receiver: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  });
  expect(warnings).toEqual([]);
  expect(sent).toHaveLength(before);
});

test('a refusal of the executor is remembered for ten minutes, for these tokens in this direction', () => {
  let now = 1_000_000;
  const memory = createExecutorMemory(() => now);
  const [tokenA, tokenB] = [toLowerAddress(`0x${'a1'.repeat(20)}`), toLowerAddress(`0x${'b2'.repeat(20)}`)];
  expect(memory.isRefused(tokenA, tokenB)).toBe(false);
  memory.rememberRefusal(tokenA, tokenB);
  expect([memory.isRefused(tokenA, tokenB), memory.isRefused(tokenB, tokenA)]).toEqual([true, false]);
  now += 599_999;
  expect(memory.isRefused(tokenA, tokenB)).toBe(true);
  now += 1;
  expect(memory.isRefused(tokenA, tokenB)).toBe(false);
});
