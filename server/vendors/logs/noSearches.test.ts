import { zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import { createTransferNode } from '../../../tests/support/transferNode.ts';
import { toLowerAddress, VendorUnavailableError } from '../ports.ts';
import { defaultLogIndexLimits } from '../vendorConfig.ts';
import { createLogIndexer } from './logIndexer.ts';

const token = toLowerAddress('0x00000000000000000000000000000000000070c0');
const codeProbe = '0x4200000000000000000000000000000000000006';

test('with LOG_SEARCH_REQUESTS_PER_DAY=0 each check continues the scan, and the answer promises no search', async () => {
  const stores = await openTemporaryStores();
  const transfers = [{ block: 50_000, from: zeroAddress, to: token, value: 1n }];
  const ends: string[] = [];
  const indexer = createLogIndexer({
    endpoints: [createTransferNode(token, { head: 100_000, maxRange: 1_000, suggests: true, transfers })],
    store: stores.facts('base').logIndexes,
    limits: {
      ...defaultLogIndexLimits,
      maxRequests: 20,
      search: { ...defaultLogIndexLimits.search, maxRequestsPerDay: 0 },
    },
    codeProbe,
    now: Date.now,
    onFault: (error) => expect.fail(String(error)),
    onSearchEnd: (end) => ends.push(end),
  });
  const check = () =>
    indexer.readIndex(token, { signal: new AbortController().signal }).then(
      ({ first }) => first?.block,
      (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
    );
  let checks = 0;
  let answer = await check();
  for (; answer === 'not-indexed' && checks < 20; checks += 1) {
    expect(indexer.describe(token)).toMatch(
      /^This service reads only a part of a token's logs for each check, so .* stopped; a later check continues it\.$/,
    );
    expect(indexer.searches()).toEqual({ running: 0, waiting: 0 });
    answer = await check();
  }
  expect(checks).toBeGreaterThan(1);
  expect([answer, ends]).toEqual([50_000, []]);
  await indexer.close();
  await stores.close();
});
