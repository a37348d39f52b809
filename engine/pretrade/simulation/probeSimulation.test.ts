import { expect, test } from 'vitest';
import { newNodeMemory } from '../../chain/node.ts';
import { encodeWords } from '../../chain/words.ts';
import { createSimulationProbe } from './probeSimulation.ts';

const replyAt = (timestamp: bigint) => ({
  result: [{ calls: [{ status: '0x1', returnData: encodeWords('0x', [8n, timestamp, 5n]) }] }],
});

test('nodes at different blocks that are tested concurrently are each judged by their own block', () => {
  const createProbe = createSimulationProbe(() => 0);
  const blockAt = (number: bigint, timestamp: bigint) => ({ number, timestamp }) as never;
  const [early, late] = [createProbe(blockAt(7n, 100n), 5n), createProbe(blockAt(9n, 104n), 5n)];
  const memories = [newNodeMemory(), newNodeMemory(), newNodeMemory()] as const;
  early.note({ memory: memories[0] }, replyAt(101n));
  late.note({ memory: memories[1] }, replyAt(105n));
  late.note({ memory: memories[2] }, replyAt(101n));
  expect(memories.map(({ simulates }) => simulates)).toEqual(['yes', 'yes', 'no']);
});
