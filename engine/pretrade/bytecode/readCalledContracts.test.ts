import { expect, test } from 'vitest';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { addCalledContracts } from './readCalledContracts.ts';

const token = '0x00000000000000000000000000000000000b0b0b';
const word = `0x${'0'.repeat(24)}${'11'.repeat(20)}`;

async function contractsFrom(reply: RpcReply) {
  const batch = createBatch();
  const read = addCalledContracts(
    batch,
    token,
    { calledContracts: [{ slot: `0x${'7'.padStart(64, '0')}`, bits: 0 }] },
    'latest',
  );
  await batch.send({ send: async () => [reply] } as unknown as Node);
  return read();
}

test('returns the address in the storage slot', async () => {
  expect(await contractsFrom({ result: word })).toEqual([`0x${'11'.repeat(20)}`]);
});

test.each([
  { result: '0x' },
  { result: null },
  { result: `${word}00` },
  { error: { code: -32000, message: 'internal error' } },
])('returns undefined if the node returns no word: %j', async (reply) => {
  expect(await contractsFrom(reply)).toBeUndefined();
});
