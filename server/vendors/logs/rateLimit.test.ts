import { expect, test } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import { createTransferNode } from '../../../tests/support/transferNode.ts';
import { RpcTransportError, toLowerAddress, VendorUnavailableError } from '../ports.ts';
import { defaultLogIndexLimits } from '../vendorConfig.ts';
import { createLogIndexer } from './logIndexer.ts';

const token = toLowerAddress('0x00000000000000000000000000000000000070c0');
const codeProbe = '0x4200000000000000000000000000000000000006';
const transfers = [{ block: 40, from: token, to: token, value: 1n }];

test.each([
  ['rate limit exceeded', -32_005],
  ['50/second request limit reached - reduce calls per second or upgrade your account', -32_007],
  ["You've exceeded the RPS limit available on the current plan", -32_005],
  ['Too Many Requests', 429],
  ['HTTP status 429', undefined],
])('a scan that ends with "%s" continues in the background, and no range is halved', async (message, code) => {
  const stores = await openTemporaryStores();
  let refusals = 4;
  const refuse = () => {
    refusals -= 1;
    return refusals >= 0;
  };
  const node = createTransferNode(token, { head: 5_000, transfers });
  node.beforeSend = (calls) => {
    if (code === undefined && calls[0]?.method === 'eth_getLogs' && refuse())
      throw new RpcTransportError('test returned HTTP 429.', { limited: true, retryAfterMs: 1 });
  };
  node.rewrite = (call, reply) =>
    code !== undefined && call.method === 'eth_getLogs' && refuse() ? { error: { code, message } } : reply;
  const ends: string[] = [];
  const search = { ...defaultLogIndexLimits.search, pauseMs: 0, retryMs: 1 };
  const indexer = createLogIndexer({
    endpoints: [node],
    store: stores.facts('base').logIndexes,
    limits: { ...defaultLogIndexLimits, search },
    codeProbe,
    now: Date.now,
    onFault: () => undefined,
    onSearchEnd: (end) => ends.push(end),
  });
  const options = { signal: new AbortController().signal };
  const fault = await indexer.readIndex(token, options).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(VendorUnavailableError);
  expect(fault).toMatchObject({ fault: 'rate-limited' });
  await expect.poll(() => ends).toEqual(['complete']);
  const sizes = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => params[0] as { fromBlock: string; toBlock: string })
    .map(({ fromBlock, toBlock }) => Number(toBlock) - Number(fromBlock));
  // All blocks at once each time, and the unsettled ones in the last scan.
  expect(new Set(sizes.slice(0, -1)).size).toBe(1);
  await indexer.close();
  await stores.close();
});
