import { expect, test } from 'vitest';
import type { LowerAddress } from '../lowerAddress.ts';
import { fetchVendorFacts } from './fetchVendorFacts.ts';
import { type FirstTransfer, type PretradeVendors, VendorUnavailableError } from './pretradePorts.ts';

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

const search = 'The service reads the logs of this token in the background (40 % of the blocks, about 7 min left).';
const searching: PretradeVendors = {
  holders: [
    {
      label: 'logs',
      fetchTopHolders: async () => {
        throw new VendorUnavailableError('logs', 'not-indexed');
      },
    },
  ],
  // Never answers.
  firstTransfer: [{ label: 'logs', fetchFirstTransfer: () => new Promise(() => undefined) }],
  holderMoves: [],
  creator: [{ label: 'logs', fetchCreator: async () => null }],
  market: [],
  describeSearch: () => search,
};

test('behavior: a value that could not be read has the state of the search as a reason, a value that is not found has not', async () => {
  const facts = await fetchVendorFacts({ token, vendors: searching, facts: undefined, deadlineMs: 20 });
  expect(facts.holders).toEqual({ status: 'unread', reason: `logs could not be read: not-indexed. ${search}` });
  expect(facts.firstTransfer).toEqual({ status: 'unread', reason: `no source answered within 20 ms. ${search}` });
  expect(facts.creator).toEqual({ status: 'none', reason: 'logs returned no result' });
  expect(facts.market).toEqual({ status: 'not-requested', reason: 'no source is configured' });
});
