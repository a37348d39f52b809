import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { getAddress } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PretradeVendors, type RpcEndpoint, VendorUnavailableError } from '../../engine/index.ts';
import { openTemporaryStores } from '../../tests/support/temporaryStores.ts';
import { createVendors } from './index.ts';
import { transferTopic } from './transport/transferTopic.ts';

const token = '0x4200000000000000000000000000000000000006';
const other = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const holder = '0xf977814e90da44bfa03b6295a0616a897441acec';
const transaction = `0x${'ab'.repeat(32)}` as const;
const now = 1_800_000_000_000;
const options = { signal: new AbortController().signal };

const vendors = setupServer();
beforeAll(() => vendors.listen({ onUnhandledRequest: 'error' }));
afterAll(() => vendors.close());
afterEach(() => vendors.resetHandlers());
const stores = await openTemporaryStores();
const facts = stores.facts('base');
afterAll(() => stores.close());

/** A chain that confirms the explorers' first transfers. */
const chain: RpcEndpoint = {
  label: 'chain',
  async send(calls) {
    const [block] = calls[0]?.params ?? [];
    const blockNumber = String(block);
    const log = { address: token, topics: [transferTopic], blockNumber, transactionHash: transaction };
    const header = { number: blockNumber, hash: transaction, timestamp: times[blockNumber] };
    return [{ result: header }, { result: [log] }, { result: null }, { result: null }];
  },
};
const times: Record<string, string> = {
  '0xb71b00': '0x65f0d2c0',
  '0x4d': `0x${(1_700_000_000).toString(16)}`,
};

type Config = Parameters<typeof createVendors>[0]['config'];
function open(config: Omit<Config, 'timeoutMs'>): PretradeVendors {
  return createVendors({
    config: { ...config, timeoutMs: 2_000 },
    endpoints: [chain],
    logIndexes: facts.logIndexes,
    now: () => now,
  });
}
const blockscout = () => open({ blockscout: { url: 'https://blockscout.test' } });
const dexscreener = () => open({ dexscreener: { url: 'https://dexscreener.test' } });
const geckoterminal = () => open({ geckoterminal: { url: 'https://geckoterminal.test' } });
const etherscan = () => open({ etherscan: { url: 'https://etherscan.test', key: 'key' } });

const holdersOf = (source: PretradeVendors) => source.holders[0]?.fetchTopHolders(token, options);
const firstOf = (source: PretradeVendors) => source.firstTransfer[0]?.fetchFirstTransfer(token, options);
const moveOf = (source: PretradeVendors) => source.holderMoves[0]?.fetchLastMove(token, holder, options);
const creatorOf = (source: PretradeVendors) => source.creator[0]?.fetchCreator(token, options);
const marketOf = (source: PretradeVendors) => source.market[0]?.fetchMarket(token, options);

const faultOf = (work: Promise<unknown> | undefined) =>
  Promise.resolve(work).then(
    (value) => value,
    (error: unknown) => (error instanceof VendorUnavailableError ? error.fault : error),
  );

const reply = (path: string, body: object, status = 200) =>
  vendors.use(http.get(path, () => HttpResponse.json(body, { status })));

/** Replies by the action of the query; Etherscan has one path. */
const replyEtherscan = (answers: Record<string, object>) =>
  vendors.use(
    http.get('https://etherscan.test/v2/api', ({ request }) => {
      const query = new URL(request.url).searchParams;
      expect(query.get('chainid')).toBe('8453');
      return HttpResponse.json(
        answers[query.get('action') ?? ''] ?? { status: '0', message: 'NOTOK', result: 'Missing' },
      );
    }),
  );
const tokenUrl = `https://blockscout.test/api/v2/tokens/${token}`;
const holdersUrl = `${tokenUrl}/holders`;
const found = (result: unknown) => ({ status: '1', message: 'OK', result });

test('reads exact Blockscout balances beyond 2^53 and an approximate count', async () => {
  const huge = 2n ** 256n - 1n;
  reply(tokenUrl, { address_hash: token, holders_count: '123456', type: 'ERC-20' });
  reply(holdersUrl, {
    items: [
      { address: { hash: holder, is_contract: false }, value: huge.toString(), token_id: null },
      { address: { hash: getAddress(other) }, value: '9007199254740993' },
    ],
    next_page_params: null,
  });
  expect(await holdersOf(blockscout())).toEqual({
    holders: [
      { address: holder, rawBalanceHint: huge },
      { address: other, rawBalanceHint: 9_007_199_254_740_993n },
    ],
    exactCount: null,
    approximateCount: 123_456,
    source: 'blockscout',
    measuredAt: now,
    asOfBlock: null,
  });
});

test('reads the format of older Blockscout versions; an empty list is null', async () => {
  reply(tokenUrl, { address: token, holders: 12 });
  reply(holdersUrl, { items: [{ address: { hash: holder }, value: 5 }] });
  expect(await holdersOf(blockscout())).toMatchObject({ holders: [{ rawBalanceHint: 5n }], approximateCount: 12 });

  reply(holdersUrl, { items: [] });
  expect(await holdersOf(blockscout())).toBeNull();
});

test('rejects Blockscout balances that are inexact or not numbers', async () => {
  reply(tokenUrl, { address_hash: token });
  for (const value of [2 ** 53, 1.5, -1, '-1', '1e18', '0x10', '', null, (2n ** 256n).toString(), '9'.repeat(79)]) {
    reply(holdersUrl, { items: [{ address: { hash: holder }, value }] });
    expect(await faultOf(holdersOf(blockscout()))).toBe('malformed');
  }
});

test('rejects responses about another token from every vendor', async () => {
  reply(tokenUrl, { address_hash: other, holders_count: '1' });
  reply(holdersUrl, { items: [{ address: { hash: holder }, value: '5' }] });
  reply(`https://blockscout.test/api/v2/addresses/${token}`, { hash: other, creator_address_hash: holder });
  reply(
    'https://blockscout.test/api',
    found([{ address: other, blockNumber: '0x1', timeStamp: '0x1', transactionHash: transaction }]),
  );
  reply(`https://blockscout.test/api/v2/addresses/${holder}/token-transfers`, {
    items: [
      {
        block_number: 5,
        timestamp: '2026-01-01T00:00:00.000000Z',
        from: { hash: holder },
        token: { address_hash: other },
      },
    ],
  });
  for (const read of [holdersOf, creatorOf, firstOf, moveOf])
    expect(await faultOf(read(blockscout()))).toBe('wrong-token');

  replyEtherscan({
    getcontractcreation: found([{ contractAddress: other, contractCreator: holder, txHash: transaction }]),
    tokentx: found([
      { blockNumber: '5', timeStamp: '9', hash: transaction, from: holder, to: other, contractAddress: other },
    ]),
  });
  for (const read of [creatorOf, firstOf, moveOf]) expect(await faultOf(read(etherscan()))).toBe('wrong-token');

  reply(`https://dexscreener.test/token-pairs/v1/base/${token}`, [
    { chainId: 'base', baseToken: { address: other }, quoteToken: { address: holder }, priceUsd: '1' },
  ]);
  expect(await faultOf(marketOf(dexscreener()))).toBe('wrong-token');

  reply(`https://geckoterminal.test/api/v2/networks/base/tokens/${token}`, {
    data: { attributes: { address: other, price_usd: '1' } },
  });
  expect(await faultOf(marketOf(geckoterminal()))).toBe('wrong-token');
});

test('reports a token unknown to Blockscout as not-indexed, not as without holders', async () => {
  vendors.use(
    http.get('https://blockscout.test/api/v2/*', () => HttpResponse.json({ message: 'Not found' }, { status: 404 })),
  );
  for (const read of [holdersOf, creatorOf, moveOf]) expect(await faultOf(read(blockscout()))).toBe('not-indexed');
});

test('reads the creator from Blockscout, or null without one', async () => {
  reply(`https://blockscout.test/api/v2/addresses/${token}`, {
    hash: token,
    creator_address_hash: getAddress(holder),
  });
  expect(await creatorOf(blockscout())).toEqual({ address: holder, source: 'blockscout' });
  reply(`https://blockscout.test/api/v2/addresses/${token}`, { hash: token, creator_address_hash: null });
  expect(await creatorOf(blockscout())).toBeNull();
});

test('reads the first transfer from Blockscout, or null without one', async () => {
  const log = { address: token, timeStamp: '0x65f0d2c0', transactionHash: transaction };
  reply(
    'https://blockscout.test/api',
    found([
      { ...log, blockNumber: '0xb71b00' },
      { ...log, blockNumber: '0xb71b01' },
    ]),
  );
  reply(`https://blockscout.test/api/v2/transactions/${transaction}`, {
    hash: transaction,
    from: { hash: holder },
  });
  expect(await firstOf(blockscout())).toEqual({
    blockNumber: 12_000_000n,
    timestamp: 0x65f0d2c0,
    sender: holder,
    transactionHash: transaction,
    source: 'blockscout',
  });

  reply('https://blockscout.test/api', { status: '0', message: 'No logs found', result: [] });
  expect(await firstOf(blockscout())).toBeNull();
});

test('rejects unsorted Blockscout logs and an empty result without the expected message', async () => {
  const log = { address: token, timeStamp: '0x65f0d2c0', transactionHash: transaction };
  reply(
    'https://blockscout.test/api',
    found([
      { ...log, blockNumber: '0x20' },
      { ...log, blockNumber: '0x10' },
    ]),
  );
  expect(await faultOf(firstOf(blockscout()))).toBe('malformed');
  reply('https://blockscout.test/api', { status: '0', message: 'Something went wrong', result: [] });
  expect(await faultOf(firstOf(blockscout()))).toBe('refused');
  reply('https://blockscout.test/api', { status: '0', message: 'Something went wrong', result: null });
  expect(await faultOf(firstOf(blockscout()))).toBe('malformed');
});

test('reads the last outgoing transfer from Blockscout; an empty list is null', async () => {
  const item = { from: { hash: holder }, token: { address_hash: token } };
  reply(`https://blockscout.test/api/v2/addresses/${holder}/token-transfers`, {
    items: [
      { ...item, block_number: 50, timestamp: '2026-01-01T00:00:00.000000Z' },
      { ...item, block_number: 40, timestamp: '2025-01-01T00:00:00.000000Z' },
    ],
  });
  expect(await moveOf(blockscout())).toEqual({ blockNumber: 50n, timestamp: 1_767_225_600, source: 'blockscout' });

  reply(`https://blockscout.test/api/v2/addresses/${holder}/token-transfers`, { items: [] });
  expect(await moveOf(blockscout())).toBeNull();

  reply(`https://blockscout.test/api/v2/addresses/${holder}/token-transfers`, {
    items: [{ ...item, from: { hash: other }, block_number: 50, timestamp: '2026-01-01T00:00:00.000000Z' }],
  });
  expect(await faultOf(moveOf(blockscout()))).toBe('malformed');
});

test('reads holders, creator, first and last transfer from Etherscan', async () => {
  const transfer = { timeStamp: '1700000000', hash: transaction, contractAddress: token, value: '1' };
  replyEtherscan({
    topholders: found([
      { TokenHolderAddress: getAddress(holder), TokenHolderQuantity: '1.5', TokenHolderAddressType: 'W' },
    ]),
    tokenholdercount: found('30506'),
    getcontractcreation: found([{ contractAddress: token, contractCreator: other, txHash: transaction }]),
    tokentx: found([
      { ...transfer, blockNumber: '77', from: other, to: holder },
      { ...transfer, blockNumber: '77', from: holder, to: '' },
    ]),
    eth_getTransactionByHash: { jsonrpc: '2.0', id: 1, result: { hash: transaction, from: holder } },
  });
  expect(await holdersOf(etherscan())).toMatchObject({
    holders: [{ address: holder, rawBalanceHint: null }],
    approximateCount: 30_506,
    exactCount: null,
  });
  expect(await creatorOf(etherscan())).toEqual({ address: other, source: 'etherscan' });
  expect(await firstOf(etherscan())).toMatchObject({ blockNumber: 77n, timestamp: 1_700_000_000, sender: holder });
  expect(await moveOf(etherscan())).toMatchObject({ blockNumber: 77n, timestamp: 1_700_000_000 });
});

test('maps the message "No transactions found" of Etherscan to null', async () => {
  replyEtherscan({ tokentx: { status: '0', message: 'No transactions found', result: [] } });
  expect(await firstOf(etherscan())).toBeNull();
  expect(await moveOf(etherscan())).toBeNull();
});

test('reports not-indexed for a holder with a full Etherscan page of incoming transfers', async () => {
  const incoming = {
    blockNumber: '77',
    timeStamp: '9',
    hash: transaction,
    from: other,
    to: holder,
    contractAddress: token,
  };
  replyEtherscan({ tokentx: found(Array.from({ length: 100 }, () => incoming)) });
  expect(await faultOf(moveOf(etherscan()))).toBe('not-indexed');
});

test('maps Etherscan errors with HTTP 200 to faults', async () => {
  replyEtherscan({
    getcontractcreation: { status: '0', message: 'NOTOK', result: 'Max calls per sec rate limit reached (5/sec)' },
  });
  expect(await faultOf(creatorOf(etherscan()))).toBe('rate-limited');
  replyEtherscan({
    getcontractcreation: { status: '0', message: 'NOTOK', result: 'Free API access is not supported for this chain.' },
  });
  expect(await faultOf(creatorOf(etherscan()))).toBe('refused');
  replyEtherscan({ getcontractcreation: found('surprise') });
  expect(await faultOf(creatorOf(etherscan()))).toBe('malformed');
});
