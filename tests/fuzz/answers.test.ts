import fc from 'fast-check';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RpcTransportError, VendorUnavailableError } from '../../engine/index.ts';
import { toReplies } from '../../server/rpc/toReplies.ts';
import { createVendors } from '../../server/vendors/index.ts';
import { parseTransfer, rawLog } from '../../server/vendors/logs/parseTransfer.ts';
import { address as addressField, count, hexCount, quantity, usd } from '../../server/vendors/transport/wire.ts';
import { openTemporaryStores } from '../support/temporaryStores.ts';
import { address, hexOf, hostileJson, hostileText, sizeText, uint256 } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

const { numRuns } = beginFuzz();

const reply = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(4), fc.constantFrom(-1, 0.5, 2 ** 53, 4_294_967_295, '0', null, '__proto__')),
    result: fc.oneof(hostileJson, hexOf(64)),
    error: fc.oneof(
      hostileJson,
      fc.record({ code: fc.integer(), message: hostileText, data: hostileJson }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: [] },
);

test('error: returns one reply for each call, or throws RpcTransportError, for any response of a node', () => {
  fc.assert(
    fc.property(fc.oneof(reply, fc.array(reply, { maxLength: 5 }), hostileJson), fc.nat(4), (body, calls) => {
      const expectedCount = calls + 1;
      try {
        const replies = toReplies(body, expectedCount, 'base-1');
        expect(replies).toHaveLength(expectedCount);
        for (const one of replies) expect('result' in one || 'error' in one).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(RpcTransportError);
      }
    }),
  );
});

test('behavior: returns replies in the order of their calls', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { minLength: 1, maxLength: 8 }),
      fc.infiniteStream(fc.nat()),
      (results, ranks) => {
        const shuffled = results
          .map((result, id) => ({ rank: ranks.next().value as number, reply: { id, result } }))
          .sort((left, right) => left.rank - right.rank)
          .map((entry) => entry.reply);
        expect(toReplies(shuffled, results.length, 'base-1')).toEqual(results.map((result) => ({ result })));
      },
    ),
  );
});

const leaf = fc.oneof(
  hostileJson,
  hostileText,
  sizeText,
  address,
  hexOf(64),
  uint256.map(String),
  fc.double(),
  fc.constantFrom(
    '0x',
    '0xff',
    '1e400',
    '1e308',
    `${2n ** 256n}`,
    1e308,
    -0,
    2 ** 53,
    '9'.repeat(79),
    '99999999999999999',
  ),
);

test('behavior: vendor field schemas accept only bounded, exact values', () => {
  fc.assert(
    fc.property(leaf, (value) => {
      const [units, whole, hex, dollars, at] = [quantity, count, hexCount, usd, addressField].map((field) =>
        field.safeParse(value),
      );
      if (units?.success) expect((units.data as bigint) >= 0n && (units.data as bigint) < 2n ** 256n).toBe(true);
      if (units?.success && typeof value === 'string') expect(units.data).toBe(BigInt(value));
      for (const parsed of [whole, hex]) if (parsed?.success) expect(Number.isSafeInteger(parsed.data)).toBe(true);
      if (dollars?.success) expect(Number.isFinite(dollars.data) && (dollars.data as number) >= 0).toBe(true);
      if (at?.success) expect(at.data).toMatch(/^0x[0-9a-fA-F]{40}$/);
    }),
  );
});

test('behavior: parses a log as a transfer if its topics and data length match, otherwise without parties', () => {
  const log = fc.record({
    address,
    topics: fc.array(hexOf(64), { minLength: 1, maxLength: 4 }),
    data: fc.oneof(
      fc.constantFrom('0x'),
      hexOf(64),
      hexOf(192),
      hexOf(10),
      fc.nat(300).chain((bytes) => hexOf(bytes * 2)),
    ),
    blockNumber: fc.constant('0x10'),
    blockHash: hexOf(64),
    transactionHash: hexOf(64),
  });
  fc.assert(
    fc.property(log, (sent) => {
      const { parties } = parseTransfer(rawLog.parse(sent));
      const [topics, bytes] = [sent.topics.length, (sent.data.length - 2) / 2];
      expect(parties !== undefined).toBe(
        topics === 4 || (topics === 3 && bytes >= 32) || (topics === 1 && bytes >= 96),
      );
      if (parties) expect(parties.value >= 0n && parties.value < 2n ** 256n).toBe(true);
    }),
  );
});

const token = '0x4200000000000000000000000000000000000006';
const some = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const hash = `0x${'ab'.repeat(32)}`;
const log = { address: token, blockNumber: '0x5', timeStamp: '0x65000000', transactionHash: hash };
const transfer = {
  contractAddress: token,
  from: some,
  to: token,
  blockNumber: '5',
  timeStamp: '1700000000',
  hash,
  value: '5',
};

/** Valid vendor responses, so that a response with one changed field passes the first schema checks. */
const wellFormed: unknown[] = [
  { items: [{ address: { hash: some }, value: '1000' }] },
  { address: token, address_hash: token, holders_count: '12', holders: '12' },
  { status: '1', message: 'OK', result: [log] },
  { status: '1', message: 'OK', result: [transfer] },
  { status: '1', message: 'OK', result: [{ TokenHolderAddress: some, TokenHolderQuantity: '5' }] },
  { status: '1', message: 'OK', result: [{ contractAddress: token, contractCreator: some, txHash: hash }] },
  { hash, from: { hash: some }, creator_address_hash: some },
  {
    items: [
      {
        ...transfer,
        block_number: 5,
        timestamp: '2026-01-01T00:00:00.000Z',
        from: { hash: some },
        to: { hash: token },
      },
    ],
  },
  [
    {
      ...{ chainId: 'base', baseToken: { address: token }, quoteToken: { address: some }, priceUsd: '1.5' },
      ...{ volume: { h24: 1e308 }, liquidity: { usd: 5 }, marketCap: 7 },
    },
    { chainId: 'base', baseToken: { address: some }, quoteToken: { address: token }, volume: { h24: 1e308 } },
  ],
  { data: { attributes: { address: token, price_usd: '1', volume_usd: { h24: '2' }, market_cap_usd: '3' } } },
];

/** The same value with the part at one path replaced. */
function changed(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || typeof value !== 'object' || value === null) return replacement;
  const entries = Object.entries(value);
  const at = first % Math.max(1, entries.length);
  const made = entries.map(
    ([key, inner], index) => [key, index === at ? changed(inner, rest, replacement) : inner] as const,
  );
  return Array.isArray(value) ? made.map(([, inner]) => inner) : Object.fromEntries(made);
}

const site = setupServer();
beforeAll(() => site.listen({ onUnhandledRequest: 'error' }));
afterAll(() => site.close());
const stores = await openTemporaryStores();
afterAll(() => stores.close());

/** Creates new sources for each body, so that none is paused by an earlier fault. */
function connect() {
  const url = 'https://vendor.test';
  const { holders, firstTransfer, holderMoves, creator, market } = createVendors({
    config: {
      ...{ blockscout: { url }, etherscan: { url, key: 'secret-vendor-key' }, dexscreener: { url } },
      ...{ geckoterminal: { url }, timeoutMs: 5_000 },
    },
    endpoints: [],
    logIndexes: stores.facts('base').logIndexes,
    now: () => 1_800_000_000_000,
  });
  const options = { signal: new AbortController().signal };
  return [
    ...holders.map((source) => () => source.fetchTopHolders(token, options)),
    ...firstTransfer.map((source) => () => source.fetchFirstTransfer(token, options)),
    ...holderMoves.map((source) => () => source.fetchLastMove(token, some, options)),
    ...creator.map((source) => () => source.fetchCreator(token, options)),
    ...market.map((source) => () => source.fetchMarket(token, options)),
  ];
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

test('error: returns finite numbers that are not negative, or throws VendorUnavailableError, for any vendor response', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...wellFormed),
      fc.array(fc.nat(20), { maxLength: 6 }),
      leaf,
      async (body, path, replacement) => {
        site.resetHandlers(
          http.all(
            'https://vendor.test/*',
            () =>
              new HttpResponse(JSON.stringify(changed(body, path, replacement)) ?? '', {
                headers: { 'content-type': 'application/json' },
              }),
          ),
        );
        const answers = await Promise.allSettled(connect().map((fetchFact) => fetchFact()));
        for (const answer of answers) {
          if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(VendorUnavailableError);
          else for (const number of numbersIn(answer.value)) expect(Number.isFinite(number) && number >= 0).toBe(true);
          if (answer.status === 'fulfilled' && answer.value) accepted += 1;
        }
      },
    ),
    { numRuns: Math.ceil(numRuns / 3) },
  );
  expect(accepted).toBeGreaterThan(5);
});
