import { concat, type Hex, keccak256, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { createDeploymentMemory } from './deploymentMemory.ts';
import { createLensCaller, LensRefusedError, type LensRequest, newParties } from './lensCall.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

const header = {
  number: '0x10',
  timestamp: '0x10',
  hash: `0x${'11'.repeat(32)}`,
  parentHash: `0x${'22'.repeat(32)}`,
  baseFeePerGas: '0x1',
};

const [address, runtime]: [Hex, Hex] = [`0x${'aa'.repeat(20)}`, '0x6001'];
const contract = { name: 'Lens', address, codeHash: keccak256(runtime) };
/** Ten words, as the shortest answer has, at the block of the header. */
const answer = concat(
  [1, 0, 16, 16]
    .map((value) => numberToHex(value, { size: 32 }))
    .concat(
      header.parentHash as Hex,
      Array.from({ length: 5 }, () => numberToHex(0, { size: 32 })),
    ),
);

/**
 * A node whose `eth_getCode` returns the code, and which runs only code that a call contains.
 * @param answers what such a call returns
 */
function lyingNode(answers: Hex = answer) {
  const sent: RpcCall[] = [];
  const codesOf = ({ params }: RpcCall) => Object.values((params[2] ?? {}) as Record<string, { code?: Hex }>);
  const reply = (call: RpcCall): RpcReply => {
    if (call.method === 'eth_getBlockByNumber') return { result: header };
    if (call.method === 'eth_getCode') return { result: runtime };
    return { result: codesOf(call).some(({ code }) => code?.startsWith(runtime)) ? answers : '0x' };
  };
  const node = testNode({
    chain: 'base',
    send: async (calls) => {
      sent.push(...calls.filter(({ method }) => method === 'eth_call'));
      return calls.map(reply);
    },
  });
  return { node, sent };
}

/** A memory of the contract that a node has read, and its clock. */
async function readMemory(node: ReturnType<typeof testNode>) {
  const clock = { now: 1_000_000 };
  const memory = createDeploymentMemory([contract], () => clock.now);
  await memory.read({ read: (at) => at(node), readEach: (at) => Promise.allSettled([at(node)]) });
  expect(memory.state()).toBe('deployed');
  return { memory, clock };
}

const lensRequest: LensRequest = { data: '0x', block: 'latest', lens: { runtime, deployedAt: address } };

test('a lens that a lying node reports as deployed costs one call a second request, not the next one', async () => {
  const { node, sent } = lyingNode();
  const { memory, clock } = await readMemory(node);
  const caller = createLensCaller(memory);
  expect(await caller.readLenses(node, [lensRequest])).toEqual([answer]);
  expect([sent.length, memory.isUsableAt(node)]).toEqual([2, false]);
  await caller.readLenses(node, [lensRequest]);
  expect(sent).toHaveLength(3);
  expect([memory.state(), memory.isDue()]).toEqual(['deployed', true]);
  clock.now += 30_000;
  expect(memory.isUsableAt(node)).toBe(true);
});

test('only the call of the missing contract is sent with its code, and reported', async () => {
  const { node, sent } = lyingNode();
  const { memory } = await readMemory(node);
  const caller = createLensCaller(memory);
  const placed: string[] = [];
  const ofExecutor: LensRequest = {
    ...{ data: '0x', block: 'latest', lens: { runtime }, isDeployed: true },
    parties: newParties(),
    onPlaced: () => placed.push('executor'),
  };
  await caller.readLenses(node, [ofExecutor]);
  expect([placed, memory.state(), sent.length]).toEqual([['executor'], 'deployed', 2]);
});

test('a node that returns nothing for the code too does not change what is known', async () => {
  const { node, sent } = lyingNode('0x');
  const { memory } = await readMemory(node);
  await expect(createLensCaller(memory).readLenses(node, [lensRequest])).rejects.toThrow(LensRefusedError);
  expect([sent.length, memory.isUsableAt(node)]).toEqual([2, true]);
});
