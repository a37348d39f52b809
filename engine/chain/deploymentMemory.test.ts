import { keccak256 } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { WrongChainError } from '../errors.ts';
import { createDeploymentMemory } from './deploymentMemory.ts';
import { CodeUnreadError, type Node } from './node.ts';
import type { Nodes } from './nodes.ts';
import type { RpcReply } from './rpcEndpoint.ts';

const codes = ['0x6001', '0x6002'] as const;
const contracts = codes.map((code, index) => ({
  name: `contract ${index}`,
  address: `0x${`${index + 1}`.repeat(40)}` as const,
  codeHash: keccak256(code),
}));

const header = {
  ...{ number: '0x10', timestamp: '0x10', baseFeePerGas: '0x1' },
  ...{ hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` },
};
const chainId = '0x2105';

/** A node that returns these codes, in the order of the contracts. */
const nodeWith = (...replies: RpcReply[]) =>
  testNode({ chain: 'base', send: () => Promise.resolve([{ result: header }, ...replies]) });

/** The nodes of a chain, the healthiest first. */
const nodesOf = (...nodes: Node[]): Pick<Nodes, 'read' | 'readEach'> => ({
  read: (at) => at(nodes[0] as Node),
  readEach: (at) => Promise.allSettled(nodes.map(at)),
});
const only = (...replies: RpcReply[]) => nodesOf(nodeWith(...replies));
const results = (...codesRead: unknown[]): RpcReply[] => codesRead.map((result) => ({ result }));

test.each([
  ['deployed', codes],
  ['missing', ['0x6001', '0x']],
  ['missing', ['0x6001', '0x6003']],
  ['missing', ['0x6002', '0x6001']],
] as const)(
  'the contracts are %s if the node returns %s, and calls omit the code only if deployed',
  async (state, read) => {
    const memory = createDeploymentMemory(contracts, () => 0);
    const node = nodeWith(...results(...read));
    expect([memory.state(), memory.isUsableAt(node)]).toEqual(['unread', false]);
    await memory.read(nodesOf(node));
    expect([memory.state(), memory.isUsableAt(node)]).toEqual([state, state === 'deployed']);
  },
);

test.each([
  ['an error', [{ result: '0x6001' }, { error: { code: -32_000, message: 'internal error' } }]],
  ['a missing reply', results('0x6001')],
  ['null', results('0x6001', null)],
  ['half a byte', results('0x6001', '0x600')],
  ['no hex', results('0x6001', 'code')],
  ['more than hex', results('0x6001', '0x6002 ')],
  ['text before hex', results('0x6001', 'code 0x6002')],
] as const)('%s instead of code fails the read, and the last state stays', async (_, replies) => {
  const memory = createDeploymentMemory(contracts, () => 0);
  await memory.read(only(...results(...codes)));
  await expect(memory.read(only(...replies))).rejects.toThrow(CodeUnreadError);
  expect(memory.state()).toBe('deployed');
});

test('requests the code of every contract at the latest block', async () => {
  const sent: unknown[] = [];
  const node = testNode(
    {
      chain: 'base',
      send: (calls) => {
        sent.push(...calls);
        return Promise.resolve([{ result: chainId }, { result: header }, ...results(...codes)]);
      },
    },
    {},
  );
  await createDeploymentMemory(contracts, () => 0).read(nodesOf(node));
  expect(sent.slice(2)).toEqual(
    contracts.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  );
});

test.each([
  ['deployed', 600_000, codes],
  ['missing', 60_000, ['0x', '0x']],
] as const)('the code is read again %s: after %s ms', async (_, recheckMs, read) => {
  let now = 1_000;
  const memory = createDeploymentMemory(contracts, () => now);
  expect(memory.isDue()).toBe(true);
  await memory.read(only(...results(...read)));
  now += recheckMs - 1;
  expect(memory.isDue()).toBe(false);
  now += 1;
  expect(memory.isDue()).toBe(true);
});

test('after a failed first read the code is read again after 30 seconds', async () => {
  let now = 1_000;
  const memory = createDeploymentMemory(contracts, () => now);
  await expect(memory.read(only())).rejects.toThrow(CodeUnreadError);
  now += 29_999;
  expect(memory.isDue()).toBe(false);
  now += 1;
  expect(memory.isDue()).toBe(true);
});

test('withdrawn contracts are never read, and stay withdrawn', async () => {
  const memory = createDeploymentMemory(contracts, () => 1e15, { isWithdrawn: true });
  expect(memory.isDue()).toBe(false);
  await memory.read(only(...results(...codes)));
  expect(memory.state()).toBe('withdrawn');
});

test('a node of another chain does not show that the contracts are deployed', async () => {
  const send = () => Promise.resolve([{ result: '0x1' }, { result: header }, ...results(...codes)]);
  const memory = createDeploymentMemory(contracts, () => 0);
  await expect(memory.read(nodesOf(testNode({ chain: 'base', send }, {})))).rejects.toThrow(WrongChainError);
  expect(memory.state()).toBe('unread');
});

test('a node without the code does not change the state if another node has it', async () => {
  const memory = createDeploymentMemory(contracts, () => 0);
  const [lacking, having] = [nodeWith(...results('0x', '0x')), nodeWith(...results(...codes))];
  await memory.read(nodesOf(lacking, having));
  expect(memory.state()).toBe('deployed');
  await memory.read(nodesOf(lacking, having));
  expect(memory.state()).toBe('deployed');
});

test('a node without the code does not change the state if another node cannot be read', async () => {
  const memory = createDeploymentMemory(contracts, () => 0);
  await memory.read(only(...results(...codes)));
  await memory.read(nodesOf(nodeWith(...results('0x', '0x')), nodeWith()));
  expect(memory.state()).toBe('deployed');
});

test('contracts that were deployed are missing only after two results without their code', async () => {
  let now = 0;
  const memory = createDeploymentMemory(contracts, () => now);
  await memory.read(only(...results(...codes)));
  await memory.read(only(...results('0x', '0x')));
  expect([memory.state(), memory.isDue()]).toEqual(['unread', false]);
  now += 30_000;
  expect(memory.isDue()).toBe(true);
  await memory.read(only(...results('0x', '0x')));
  expect(memory.state()).toBe('missing');
});

test('a result without the code is asked again at the same node before the state changes', async () => {
  const replies = [results(...codes), results('0x', '0x'), results(...codes)];
  const send = () => Promise.resolve([{ result: header }, ...(replies.shift() ?? [])]);
  const memory = createDeploymentMemory(contracts, () => 0);
  const node = testNode({ chain: 'base', send });
  await memory.read(nodesOf(node));
  await memory.read(nodesOf(node));
  expect([memory.state(), replies.length]).toEqual(['deployed', 0]);
});

test('a missing contract concerns calls at this node only, for 30 seconds, and is read again', async () => {
  let now = 1_000;
  const memory = createDeploymentMemory(contracts, () => now);
  const [lacking, having] = [nodeWith(...results(...codes)), nodeWith(...results(...codes))];
  await memory.read(nodesOf(having));
  memory.sawMissing(lacking);
  expect(memory.state()).toBe('deployed');
  expect([lacking, having].map((node) => memory.isUsableAt(node))).toEqual([false, true]);
  now += 29_999;
  expect([memory.isUsableAt(lacking), memory.isDue()]).toEqual([false, true]);
  now += 1;
  expect(memory.isUsableAt(lacking)).toBe(true);
  await memory.read(nodesOf(having));
  expect(memory.isDue()).toBe(false);
});
