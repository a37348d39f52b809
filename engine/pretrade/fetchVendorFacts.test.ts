import { expect, test } from 'vitest';
import type { LowerAddress } from '../lowerAddress.ts';
import { fetchVendorFacts } from './fetchVendorFacts.ts';
import type { FirstTransfer, PretradeVendors } from './pretradePorts.ts';

const token: LowerAddress = '0x0000000000000000000000000000000000000aaa';
const sender: LowerAddress = '0x0000000000000000000000000000000000000bbb';
const factory: LowerAddress = '0x0000000000000000000000000000000000000ccc';

function ask(first: Partial<FirstTransfer> | null) {
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

test('default: the creator is inferred from the sender of the first transfer', async () => {
  const { creator } = await ask({});
  expect(creator).toMatchObject({ status: 'known', value: { address: sender, source: 'explorer', isSender: true } });
});

test('behavior: without a known sender, the deployer that an explorer names is the candidate', async () => {
  for (const first of [null, { sender: null }]) {
    const { creator } = await ask(first);
    expect(creator).toMatchObject({ status: 'known', value: { address: factory, source: 'other' } });
  }
});
