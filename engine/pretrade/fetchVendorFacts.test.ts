import { expect, test } from 'vitest';
import type { LowerAddress } from '../lowerAddress.ts';
import { fetchVendorFacts } from './fetchVendorFacts.ts';
import type { FirstTransfer, PretradeVendors } from './pretradePorts.ts';

const token: LowerAddress = '0x0000000000000000000000000000000000000aaa';
const sender: LowerAddress = '0x0000000000000000000000000000000000000bbb';
const factory: LowerAddress = '0x0000000000000000000000000000000000000ccc';

function fetchFacts(first: Partial<FirstTransfer> | null) {
  const vendors: PretradeVendors = {
    holders: [],
    holderMoves: [],
    market: [],
    firstTransfer: [
      {
        label: 'explorer',
        fetchFirstTransfer: async () =>
          first && { blockNumber: 1n, timestamp: 1, sender, transactionHash: null, source: 'explorer', ...first },
      },
    ],
    creator: [{ label: 'other', fetchCreator: async () => ({ address: factory, source: 'other' }) }],
  };
  return fetchVendorFacts({ token, vendors, facts: undefined, deadlineMs: 5_000 });
}

test('default: the creator is the sender of the first transfer', async () => {
  const { creator } = await fetchFacts({});
  expect(creator).toMatchObject({ status: 'known', value: { address: sender, source: 'explorer', isSender: true } });
});

test('behavior: the creator is the deployer from an explorer if the sender is unknown', async () => {
  for (const first of [null, { sender: null }]) {
    const { creator } = await fetchFacts(first);
    expect(creator).toMatchObject({ status: 'known', value: { address: factory, source: 'other' } });
  }
});
