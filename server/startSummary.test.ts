import { expect, test } from 'vitest';
import { readConfig } from './config/index.ts';
import { openLiveEnvironment } from './liveMode.ts';
import { describeStart, toStartSummary } from './startSummary.ts';
import type { DatabaseOrigin } from './storage/index.ts';

const variables = {
  RPC_URL_BASE: 'http://127.0.0.1:1/v2/canary-rpc-key',
  RPC_URL_POLYGON: 'http://127.0.0.1:1',
  RPC_URL_SOLANA: 'http://127.0.0.1:1',
  PAY_TO_EVM: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  PAY_TO_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  FACILITATOR_KEY_EVM: `0x${'11'.repeat(32)}`,
  FACILITATOR_KEY_SVM: '49W385L4rePHy6PAaQUovbD2aacgN4HsKXSMeUzRg4fmwXszN91JuMFrQRj3vMDpZuRF3ZknQBuRBoWQJEfXstMw',
  FACILITATOR_URL_POLYGON: 'https://canary-host.example/canary-path',
  PUBLIC_URL: 'https://truefill.example',
};

function summaryOf(more: Record<string, string> = {}, origin: DatabaseOrigin = 'existing') {
  const config = readConfig({ ...variables, ...more });
  if (config.mode !== 'live') throw new TypeError('The configuration is not live.');
  return toStartSummary({
    config,
    environment: openLiveEnvironment(config),
    origin,
    listens: '0.0.0.0:4020',
    baseUrl: 'https://truefill.example',
    engine: {
      chains: ['base', 'polygon'],
      chainState: (chain) =>
        chain === 'base' ? { status: 'ok', blockNumber: 1n } : { status: 'down', retryAfterSeconds: 1 },
      nodeStates: () => [],
    },
    poolIndexes: () => ({}),
    paymentService: {
      settlement: () => ({
        'eip155:8453': 'ok',
        'eip155:137': 'facilitator_unavailable',
        'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'ok',
      }),
      gasLeft: () => ({
        'eip155:8453': { state: 'low', settlements: 100n },
        'eip155:137': { state: 'elsewhere', settlements: undefined },
      }),
    },
  });
}

test('default: the summary of a start names storage, payees, facilitators, states and prices', () => {
  expect(describeStart(summaryOf())).toBe(`  Public URL: https://truefill.example
  Storage: SQLite data/truefill.sqlite
  Chains: base ok, polygon down
  Payments on Base: offered, gas low; paid to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8; settled by 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A
  Payments on Polygon: not offered (facilitator_unavailable), gas paid by the facilitator; paid to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8; settled by a remote facilitator
  Payments on Solana: offered, gas unread; paid to 4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T; settled by FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z
  Price of quote: 0.02 USD
  Price of pretradeCheck: 0.05 USD, first call of a wallet free
`);
});

test.each<[DatabaseOrigin, RegExp]>([
  ['created', /SQLite data\/truefill\.sqlite \(a new ledger/],
  ['empty file', /SQLite data\/truefill\.sqlite \(THE FILE WAS EMPTY/],
])('error: the summary states that the database is new: %s', (origin, text) => {
  expect(describeStart(summaryOf({}, origin))).toMatch(text);
});

test('security: the summary contains no key, RPC URL, facilitator URL or database password', () => {
  const summary = summaryOf({ DATABASE_URL: 'postgres://canary-user:canary-password@db.example/ledger' });
  const text = `${describeStart(summary)}${JSON.stringify(summary)}`;
  expect(text).not.toMatch(/canary|1111111111|127\.0\.0\.1:1/);
  expect(text).toContain('PostgreSQL db.example:5432/ledger');
});
