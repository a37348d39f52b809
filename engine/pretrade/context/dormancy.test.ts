import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import type { ExitReading } from '../exit/exitTypes.ts';
import { describeDormancy } from './dormancy.ts';

const holder = '0x00000000000000000000000000000000000000aa';
const reading = { blockNumber: 9n, timestamp: 86_400n } as ExitReading;

test.each([
  { status: 'known', stored: false, value: { blockNumber: 1n, timestamp: 0, source: 'logs' } },
  { status: 'none', reason: 'logs returned no result' },
  { status: 'unread', reason: 'the vendor timed out' },
] as const)('the note contains the largest wallet with its checksum: $status', (move) => {
  const { note } = describeDormancy(reading, holder, move);
  expect(note).toContain(getAddress(holder));
  expect(note).not.toContain(holder);
});
