import { type Hex, padHex, toHex } from 'viem';
import { expect, test } from 'vitest';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { createCodeMemory } from './codeMemory.ts';
import { addCalledContracts, toCode } from './readCode.ts';

const none = `0x${'0'.repeat(64)}` as const;
/** The code `STOP`, without a public function. */
const stub: Hex = '0x00';
const facet = (index: number) => ({ target: toLowerAddress(padHex(toHex(index + 1), { size: 20 })), code: stub });

const diamondOf = (facets: number) => ({
  own: stub,
  proxySlots: [none, none, none, none, none],
  target: toLowerAddress(padHex('0x', { size: 20 })),
  behind: '0x' as const,
  named: Array.from({ length: facets }, (_, index) => facet(index)),
  accounts: [],
});

test('default: a diamond’s functions are those of all its facets', async () => {
  const { proxy, functions } = await toCode(diamondOf(23), createCodeMemory());
  expect(proxy).toMatchObject({ status: 'proxy', kind: 'diamond' });
  expect(functions).toEqual([]);
});

test('behavior: the functions are unknown if a diamond has as many facets as the limit, as further facets are not read', async () => {
  expect((await toCode(diamondOf(24), createCodeMemory())).functions).toBeUndefined();
});

test('a single contract behind a token is a facet only if the code has facetAddresses()', async () => {
  const loupe: Hex = '0x60003560e01c6352ef6b2c14601057005b60008060205260406000f3';
  const kindOf = async (code: Hex) => {
    const { proxy } = await toCode({ ...diamondOf(0), named: [{ ...facet(0), code }] }, createCodeMemory());
    return proxy;
  };
  expect(await kindOf(loupe)).toMatchObject({ kind: 'diamond', implementation: null });
  expect(await kindOf(stub)).toMatchObject({ kind: 'eip-897', implementation: facet(0).target });
});

test.each(['the token', 'its implementation'])(
  'the functions are unknown if %s delegates by EIP-7702',
  async (which) => {
    const delegation: Hex = `0xef0100${'11'.repeat(20)}`;
    const isToken = which === 'the token';
    const implementation = padHex('0x99', { size: 32 });
    const reading = isToken
      ? { ...diamondOf(0), own: delegation }
      : {
          ...diamondOf(0),
          proxySlots: [implementation, none, none, none, none],
          target: toLowerAddress(padHex('0x99', { size: 20 })),
          behind: delegation,
        };
    expect((await toCode(reading, createCodeMemory())).functions).toBeUndefined();
  },
);

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
