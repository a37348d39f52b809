import { expect, test } from 'vitest';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../../contracts/artifacts/executor/Executor.ts';
import { weightedFamilyArtifact } from '../../../contracts/artifacts/executor/WeightedFamily.ts';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import {
  addressOf,
  poolOf,
  probeNode,
  routeOver,
  testHeader,
  tokenA,
  tokenB,
  tokenC,
  zeroAccount,
} from '../../../tests/support/engine/testProbe.ts';
import { createLensCaller } from '../../chain/lensCall.ts';
import { NodeRefusedError } from '../../chain/node.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { kinds } from '../../venues/kinds.ts';
import { createFundingMemory, type Funding } from '../funding/fundingMemory.ts';
import { usualFormulas } from '../funding/storageLocations.ts';
import { createExecutorMemory } from '../transaction/executorState.ts';
import {
  decodeExecutionReply,
  emptyExecution,
  executePlans,
  toExecutionRequests,
  unlessRefused,
  usesExecutor,
} from './executePlans.ts';
import type { PlanExecution, PlanRequest } from './executionTypes.ts';

const slotOf = usualFormulas[0] as (typeof usualFormulas)[number];
const funding = (): Funding => ({
  decimals: 18,
  supply: 7n,
  balances: { contract: tokenA, slotOf },
  allowances: { contract: tokenA, slotOf },
  sample: { stored: 1n, balance: 1n },
});

/** Data of a chain whose funding of tokenA is known, with the executor in this state. */
async function dataWith(state: 'deployed' | 'unread' = 'unread') {
  const memory = createFundingMemory(() => 0);
  memory.set(tokenA, funding());
  const executor = createExecutorMemory(() => 0);
  const codes = [executorArtifact.runtime, weightedFamilyArtifact.runtime];
  const send = async () => [testHeader, ...codes].map((result) => ({ result }));
  const node = testNode({ chain: 'base', send });
  if (state === 'deployed') await executor.read({ read: (at) => at(node), readEach: async () => [] });
  expect(executor.state()).toBe(state);
  return { deployment: deployments.base, funding: memory, lens: createLensCaller(executor), executor };
}

const executorAddress = toLowerAddress(executorDeployment.executor.address);
const [one, two, three] = ['1', '2', '3'].map((digit) => poolOf(addressOf(digit)));
const request = (amountIn: bigint, more: Partial<PlanRequest> = {}, pool = one): PlanRequest => ({
  plan: routeOver([pool as NonNullable<typeof pool>], amountIn),
  ...more,
});
const block = '0x10';

test('executes the plans in one call at the block, and returns their outputs in order', async () => {
  const { node, probes, requests } = probeNode(({ amountIn }) => ({ status: 1, received: 2n * amountIn }));
  const reading = await executePlans(await dataWith(), tokenA, [request(100n), request(50n, {}, two)], block, node);
  expect(reading).toMatchObject({ funded: true, blockNumber: 16n, timestamp: 100n, gasUsed: 5n });
  expect(reading.executions.map(({ run }) => [run.status, run.received, run.gas])).toEqual([
    ['filled', 200n, 90_000n],
    ['filled', 100n, 90_000n],
  ]);
  // A header and one call.
  expect([requests, probes.length]).toEqual([[2], 1]);
  expect(probes[0]?.orders.map(({ amountIn, legs }) => [amountIn, toLowerAddress(legs[0]?.pool ?? '0x')])).toEqual([
    [100n, one?.id],
    [50n, two?.id],
  ]);
});

test('plans of one amount share their accounts; a second execution has an account of its own', async () => {
  const { node, probes } = probeNode();
  const again = request(100n, { again: true });
  await executePlans(await dataWith(), tokenA, [again, request(100n, {}, two), request(30n, {}, three)], block, node);
  const [probe] = probes;
  const [first, other, smaller] = probe?.orders ?? [];
  expect(first?.payer).toBe(other?.payer);
  expect(smaller?.payer).not.toBe(first?.payer);
  expect(other?.secondPayer).toBe(zeroAccount);
  expect([zeroAccount, first?.payer, smaller?.payer]).not.toContain(first?.secondPayer);
  // Three accounts, each with a balance and an allowance.
  expect(probe?.slots).toBe(6);
});

test('the results of both executions are returned', async () => {
  const { node } = probeNode(({ amountIn }, _, isSecond) => ({
    status: 1,
    received: isSecond ? amountIn / 2n : amountIn,
  }));
  const { executions } = await executePlans(await dataWith(), tokenA, [request(100n, { again: true })], block, node);
  expect(executions.map(({ run, again }) => [run.received, again?.received])).toEqual([[100n, 50n]]);
});

test('samples share a call and an account that holds the largest of them; plans with a call of their own join them', async () => {
  const { node, probes, requests } = probeNode();
  const samples = [25n, 75n, 50n].map((amount) => request(amount, { isSample: true }, two));
  const plans = [request(100n), ...samples, request(100n, { separateCall: true }, three)];
  const { executions, gasUsed } = await executePlans(await dataWith(), tokenA, plans, block, node);
  expect(requests).toEqual([3]);
  expect(probes.map(({ orders }) => orders.map(({ amountIn }) => amountIn))).toEqual([[100n], [100n, 25n, 75n, 50n]]);
  const [, beside] = probes;
  expect(new Set(beside?.orders.slice(1).map(({ payer }) => payer)).size).toBe(1);
  expect([executions.length, gasUsed]).toEqual([5, 10n]);
});

test.each([
  [11, [[1], [12]]],
  [12, [[1], [1], [12]]],
])('with %i samples, the calls have so many plans', async (count, expected) => {
  const { node, probes } = probeNode();
  const samples = Array.from({ length: count }, (_, index) => request(BigInt(index + 1), { isSample: true }, two));
  const plans = [request(100n), request(100n, { separateCall: true }, three), ...samples];
  await executePlans(await dataWith(), tokenA, plans, block, node);
  expect(probes.map(({ orders }) => [orders.length])).toEqual(expected);
});

test('without plans, an empty call is sent', async () => {
  const { node, probes } = probeNode(undefined, { funded: false });
  const reading = await executePlans(await dataWith(), tokenA, [], block, node);
  expect([reading.executions, reading.funded, probes.map(({ orders }) => orders)]).toEqual([[], false, [[]]]);
});

test('one unfunded call makes the reading unfunded', async () => {
  const { node } = probeNode();
  const { send } = node;
  let calls = 0;
  node.send = async (sent) => {
    const replies = await send(sent);
    return replies.map((reply, index) => {
      if (sent[index]?.method !== 'eth_call' || !('result' in reply)) return reply;
      calls += 1;
      // The sixth word of the first call's answer.
      const words = String(reply.result);
      return calls % 2 === 1
        ? { result: `${words.slice(0, 2 + 64 * 5)}${'0'.repeat(64)}${words.slice(2 + 64 * 6)}` }
        : reply;
    });
  };
  const data = await dataWith();
  data.funding.set(tokenA, 'unknown');
  const reading = await executePlans(
    data,
    tokenA,
    [request(9n), request(9n, { separateCall: true }, two)],
    block,
    node,
  );
  expect(reading.funded).toBe(false);
});

test('the lens for weighted pools is used only if a plan has one', async () => {
  const data = await dataWith();
  const { node } = probeNode();
  const weighted = poolOf(`0x${'9'.repeat(64)}`, [tokenA, tokenB], { family: 'balancer-v2', kind: kinds.weighted });
  const codeOf = async (plans: readonly PlanRequest[]) => {
    const [prepared] = await toExecutionRequests(data, tokenA, plans, block, node);
    return prepared?.request.lens.runtime;
  };
  const common = await codeOf([request(1n)]);
  const full = await codeOf([request(1n), { plan: routeOver([weighted], 1n) }]);
  expect(full).not.toBe(common);
  expect(full).toBe(emptyExecution(deployments.base).lens.runtime);
});

test('a malformed answer is refused, and the supply of a good one is kept', async () => {
  const data = await dataWith();
  const { node } = probeNode(undefined, { supply: 1_234n });
  await executePlans(data, tokenA, [request(1n)], block, node);
  expect(data.funding.get(tokenA)).toMatchObject({ supply: 1_234n });
  await executePlans(data, tokenA, [request(1n)], block, probeNode().node);
  expect(data.funding.get(tokenA)).toMatchObject({ supply: 1_234n });
  const [prepared] = await toExecutionRequests(data, tokenA, [request(1n)], block, node);
  if (!prepared) throw new RangeError('No request.');
  expect(() => decodeExecutionReply(data, tokenA, prepared, `0x${'00'.repeat(32 * 10)}`)).toThrow(NodeRefusedError);
});

test('an unfunded account makes the funding of the token be found again, once', async () => {
  const data = await dataWith();
  const { node, probes } = probeNode(() => ({ status: 5 }), { funded: false });
  const { send } = node;
  let searches = 0;
  // The node runs no lens that searches the storage layout, so the layout stays unknown.
  node.send = async (calls) => {
    if (!calls.some(({ method }) => method === 'eth_createAccessList')) return send(calls);
    searches += 1;
    return calls.map(({ method }) => ({ result: method === 'eth_getBlockByNumber' ? testHeader : '0x' }));
  };
  const reading = await executePlans(data, tokenA, [request(1n)], block, node);
  expect([reading.funded, searches, data.funding.get(tokenA)]).toEqual([false, 1, undefined]);
  expect(probes.map(({ slots }) => slots)).toEqual([2, 0]);
});

test('a token that no account can be funded with is executed once, without accounts', async () => {
  const data = await dataWith();
  data.funding.set(tokenA, 'unknown');
  const { node, probes } = probeNode(() => ({ status: 5 }), { funded: false });
  const reading = await executePlans(data, tokenA, [request(1n)], block, node);
  expect([reading.funded, probes.length, probes[0]?.slots]).toEqual([false, 1, 0]);
});

test('the deployed executor is called without code, and each execution has that fact', async () => {
  const data = await dataWith('deployed');
  const { node, probes } = probeNode();
  const { executions } = await executePlans(data, tokenA, [request(1n)], block, node);
  expect(probes.map(({ to, isPlaced }) => [toLowerAddress(to), isPlaced])).toEqual([[executorAddress, false]]);
  expect(executions.map(({ byExecutor }) => byExecutor)).toEqual([true]);
});

test('if every plan reverts in the executor and one fills elsewhere, the token refuses it, which is remembered', async () => {
  const data = await dataWith('deployed');
  const { node, probes } = probeNode((_, { isPlaced }) => ({ status: isPlaced ? 1 : 3 }));
  const plans = [request(1n), request(1n, {}, two)];
  const { executions } = await executePlans(data, tokenA, plans, block, node);
  expect(executions.map(({ run, byExecutor }) => [run.status, byExecutor])).toEqual([
    ['filled', undefined],
    ['filled', undefined],
  ]);
  expect(probes.map(({ isPlaced }) => isPlaced)).toEqual([false, true]);
  expect([tokenB, tokenC].map((bought) => usesExecutor(data, tokenA, bought, node))).toEqual([false, true]);
  expect(data.executor.isRefused(tokenA, tokenB)).toBe(true);
  await executePlans(data, tokenA, plans, block, node);
  expect(probes.map(({ isPlaced }) => isPlaced)).toEqual([false, true, true]);
});

test('if the plans revert elsewhere too, the first result is returned and nothing is remembered', async () => {
  const data = await dataWith('deployed');
  const { node, probes } = probeNode(() => ({ status: 3 }));
  const { executions } = await executePlans(data, tokenA, [request(1n)], block, node);
  expect(executions.map(({ run, byExecutor }) => [run.status, run.reason, byExecutor])).toEqual([
    ['reverted', '0xdeadbeef', true],
  ]);
  expect([probes.length, data.executor.isRefused(tokenA, tokenB)]).toEqual([2, false]);
});

test('one plan that does not revert, also an earlier one, shows that no token refuses the executor', async () => {
  const data = await dataWith('deployed');
  const isTwo = ({ legs }: { legs: readonly { pool: string }[] }) => toLowerAddress(legs[0]?.pool as '0x') === two?.id;
  const mixed = probeNode((order) => ({ status: isTwo(order) ? 1 : 3 }));
  await executePlans(data, tokenA, [request(1n), request(1n, {}, two)], block, mixed.node);
  expect(mixed.probes).toHaveLength(1);
  const { node, probes } = probeNode(() => ({ status: 3 }));
  const done = [{ run: { status: 'partial' }, byExecutor: true }] as unknown as PlanExecution[];
  await executePlans(data, tokenA, [request(1n)], block, node, done);
  expect(probes).toHaveLength(1);
});

test('only reverts in the executor may be refusals of a token', () => {
  const executionOf = (status: string, byExecutor?: true) =>
    ({ run: { status }, byExecutor }) as unknown as PlanExecution;
  const reverted = executionOf('reverted', true);
  expect(unlessRefused([{ executions: [reverted] }, { executions: [reverted] }])).toEqual([]);
  for (const other of [executionOf('reverted'), executionOf('filled', true), executionOf('out-of-gas', true)])
    expect(unlessRefused([{ executions: [reverted] }, { executions: [other] }])).toEqual([reverted, other]);
});

test('a node without the executor’s code gets the code of the lens, and that is not an execution by the executor', async () => {
  const data = await dataWith('deployed');
  const { node, probes } = probeNode();
  const { send } = node;
  node.send = async (calls) => {
    const replies = await send(calls);
    return replies.map((reply, index) =>
      calls[index]?.method === 'eth_call' && probes.at(-1)?.isPlaced === false ? { result: '0x' } : reply,
    );
  };
  const { executions } = await executePlans(data, tokenA, [request(1n)], block, node);
  expect(executions.map(({ byExecutor }) => byExecutor)).toEqual([undefined]);
  expect([probes.map(({ isPlaced }) => isPlaced), data.executor.isUsableAt(node)]).toEqual([[false, true], false]);
});
