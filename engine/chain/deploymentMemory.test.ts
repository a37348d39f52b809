import { keccak256 } from 'viem';
import { expect, test } from 'vitest';
import { createDeploymentMemory } from './deploymentMemory.ts';
import { CodeUnreadError } from './node.ts';
import type { RpcReply } from './rpcEndpoint.ts';
import { testNode } from './testNode.ts';

const codes = ['0x6001', '0x6002'] as const;
const contracts = codes.map((code, index) => ({
  name: `contract ${index}`,
  address: `0x${`${index + 1}`.repeat(40)}` as const,
  codeHash: keccak256(code),
}));

/** A node that has these codes, in the order of the contracts. */
const nodeWith = (...replies: RpcReply[]) => testNode({ chain: 'base', send: () => Promise.resolve(replies) });
const results = (...codesRead: unknown[]): RpcReply[] => codesRead.map((result) => ({ result }));

test.each([
  ['deployed', codes],
  ['missing', ['0x6001', '0x']],
  ['missing', ['0x6001', '0x6003']],
  ['missing', ['0x6002', '0x6001']],
] as const)('the contracts are %s if the node returns %s', async (state, read) => {
  const memory = createDeploymentMemory(contracts, () => 0);
  expect(memory.state()).toBe('unread');
  await memory.read(nodeWith(...results(...read)));
  expect(memory.state()).toBe(state);
});

test.each([
  ['an error', [{ result: '0x6001' }, { error: { code: -32_000, message: 'internal error' } }]],
  ['a missing reply', results('0x6001')],
  ['null', results('0x6001', null)],
  ['half a byte', results('0x6001', '0x600')],
  ['no hex', results('0x6001', 'code')],
  ['more than hex', results('0x6001', '0x6002 ')],
] as const)('%s instead of code fails the read, and the last state stays', async (_, replies) => {
  const memory = createDeploymentMemory(contracts, () => 0);
  await memory.read(nodeWith(...results(...codes)));
  await expect(memory.read(nodeWith(...replies))).rejects.toThrow(CodeUnreadError);
  expect(memory.state()).toBe('deployed');
});

test('requests the code of every contract at the latest block', async () => {
  const sent: unknown[] = [];
  const node = testNode({
    chain: 'base',
    send: (calls) => {
      sent.push(...calls);
      return Promise.resolve(results(...codes));
    },
  });
  await createDeploymentMemory(contracts, () => 0).read(node);
  expect(sent).toEqual(contracts.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] })));
});

test.each([
  ['deployed', 600_000, codes],
  ['missing', 60_000, ['0x', '0x']],
] as const)('the code is read again %s: after %s ms', async (_, recheckMs, read) => {
  let now = 1_000;
  const memory = createDeploymentMemory(contracts, () => now);
  expect(memory.isDue()).toBe(true);
  await memory.read(nodeWith(...results(...read)));
  now += recheckMs - 1;
  expect(memory.isDue()).toBe(false);
  now += 1;
  expect(memory.isDue()).toBe(true);
});

test('after a failed first read the code is read again after 30 seconds', async () => {
  let now = 1_000;
  const memory = createDeploymentMemory(contracts, () => now);
  await expect(memory.read(nodeWith())).rejects.toThrow(CodeUnreadError);
  now += 29_999;
  expect(memory.isDue()).toBe(false);
  now += 1;
  expect(memory.isDue()).toBe(true);
});

test('withdrawn contracts are never read, and stay withdrawn', async () => {
  const memory = createDeploymentMemory(contracts, () => 1e15, { isWithdrawn: true });
  expect(memory.isDue()).toBe(false);
  await memory.read(nodeWith(...results(...codes)));
  expect(memory.state()).toBe('withdrawn');
});
