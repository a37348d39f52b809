import { expect, test } from 'vitest';
import { testNode } from '../../tests/support/engine/testNode.ts';
import { capabilitiesOf, lackOf, needsProbe, readCapabilities, type SimulationProbe } from './capabilities.ts';
import { newNodeMemory } from './node.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

const now = 5_000_000;
const failed = (message: string): RpcReply => ({ error: { code: -32_000, message } });
const hash = `0x${'11'.repeat(32)}` as const;

/** Reads the capabilities of a node at this block, which returns these replies in order. */
async function readWith(replies: readonly RpcReply[], number = 1_000n, probe?: SimulationProbe) {
  const sent: RpcCall[] = [];
  const node = testNode(
    {
      chain: 'base',
      send: async (calls) => {
        sent.push(...calls);
        return [...replies];
      },
    },
    { blockOverrides: 'no', baseFee: 7n },
  );
  node.block = { number, hash, parentHash: hash, timestamp: 1n };
  await readCapabilities(node, now, probe);
  return { memory: node.memory, sent };
}
const logsOf = (reply: RpcReply) => readWith([{ result: '0x' }, reply]).then(({ memory }) => memory.logRange);

test.each([
  [1_000n, '0x3c8'],
  [33n, '0x1'],
  [32n, '0x10'],
  [9n, '0x4'],
])('at block %i the past block is %s; logs are requested of all blocks', async (number, past) => {
  const { sent, memory } = await readWith([{ result: '0x' }, { result: [] }], number);
  const silent = '0x00000000000000000000000000000000000000d1';
  expect(sent).toEqual([
    { method: 'eth_call', params: [{ to: silent }, past] },
    {
      method: 'eth_getLogs',
      params: [{ address: silent, fromBlock: '0x0', toBlock: `0x${number.toString(16)}` }],
    },
  ]);
  expect(memory).toMatchObject({ probedAt: now, blockOverrides: 'unknown' });
});

test('reads nothing before a block is known', async () => {
  const node = testNode({ chain: 'base', send: () => Promise.reject(new RangeError('Nothing is sent.')) });
  await readCapabilities(node, now, undefined);
  expect(node.memory.probedAt).toBeUndefined();
});

test.each([
  ['a result', { result: '0x' }, 'yes'],
  ['a revert', failed('execution reverted'), 'unknown'],
  ['missing trie node', failed('missing trie node 0xabc'), 'no'],
  ['a plan without archive', failed('Archive requests need another plan'), 'no'],
  ['pruned state', failed('state has been pruned'), 'no'],
] as const)('past blocks after %s: %s', async (_, reply, expected) => {
  expect((await readWith([reply, { result: [] }])).memory.pastBlocks).toBe(expected);
});

test('past blocks are unknown without a reply', async () => {
  expect((await readWith([])).memory).toMatchObject({ pastBlocks: 'unknown', logRange: undefined });
});

test.each([
  ['the logs', { result: [] }, undefined],
  ['a stated limit', failed('eth_getLogs is limited to a 10,000 range'), 10_000],
  ['a limit with underscores', failed('max range: 2_000 blocks'), 2_000],
  ['a limit after a number that is none', failed('query returned more than 99999999999 results, limit 500'), 500],
  ['the largest limit', failed('limit 1000000'), 1_000_000],
  ['a larger number', failed('limit 1000001'), 0],
  ['a limit of 0', failed('limit 0'), 0],
  ['no number', failed('range too large'), 0],
])('the range of logs after %s', async (_, reply, expected) => {
  expect(await logsOf(reply)).toBe(expected);
});

test('a simulation is sent with the others, and its reply is recorded', async () => {
  const call = { method: 'eth_simulateV1', params: [] };
  const noted: unknown[] = [];
  const probe: SimulationProbe = (block, baseFee) => {
    noted.push(block.number, baseFee);
    return { call, note: (_, reply) => noted.push(reply) };
  };
  const reply = { result: ['simulated'] };
  const { sent } = await readWith([{ result: '0x' }, { result: [] }, reply], 1_000n, probe);
  expect(sent[2]).toEqual(call);
  expect(noted).toEqual([1_000n, 7n, reply]);
});

test('nothing is known of a new node', () => {
  const memory = newNodeMemory();
  expect(capabilitiesOf(memory, now)).toEqual({
    ...{ overrides: 'unknown', simulation: 'unknown', pastBlocks: 'unknown' },
    ...{ logRange: undefined, maxBatch: undefined, gasCap: undefined, maxReplyBytes: undefined },
  });
  expect([needsProbe(memory, now), lackOf(memory, 'check', now)]).toEqual([true, undefined]);
});

test('reports what the memory contains', () => {
  const memory = {
    ...newNodeMemory(),
    ...({ readMode: 'override', simulates: 'short', simulatesSince: now, pastBlocks: 'yes' } as const),
    ...{ logRange: 10_000, maxBatch: 25, gasCap: 50_000_000n, maxReplyBytes: 4_000 },
  };
  expect(capabilitiesOf(memory, now)).toEqual({
    ...{ overrides: 'yes', simulation: 'short', pastBlocks: 'yes' },
    ...{ logRange: 10_000, maxBatch: 25, gasCap: 50_000_000, maxReplyBytes: 4_000 },
  });
  expect(capabilitiesOf({ ...memory, readMode: 'quoters' }, now + 60_000)).toMatchObject({
    ...{ overrides: 'no', simulation: 'unknown' },
  });
});

test('capabilities are read again after ten minutes', () => {
  const memory = { ...newNodeMemory(), probedAt: now };
  expect(needsProbe(memory, now + 599_999)).toBe(false);
  expect(needsProbe(memory, now + 600_000)).toBe(true);
});

test.each([
  [{ readMode: 'quoters' }, 'refuses state overrides'],
  [{ simulates: 'no', simulatesSince: now }, 'cannot run eth_simulateV1'],
  [{ pastBlocks: 'no' }, 'refuses calls of past blocks'],
  [{ pastBlocks: 'unknown', simulates: 'short', simulatesSince: now }, undefined],
] as const)('a node with %j lacks for a check: %s; for a quote nothing', (known, expected) => {
  const memory = { ...newNodeMemory(), ...known };
  expect([lackOf(memory, 'check', now), lackOf(memory, 'quote', now)]).toEqual([expected, undefined]);
});
