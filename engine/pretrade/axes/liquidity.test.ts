import { describe, expect, test } from 'vitest';
import type { LowerAddress } from '../../lowerAddress.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { ExitPool, ExitReading, LoggedPool } from '../exit/exitTypes.ts';
import type { Reach } from '../reach/reachValue.ts';
import type { Enumerated } from '../tokenReading.ts';
import { liquiditySignal, weighLiquidity } from './liquidity.ts';
import type { LiquidityInput } from './liquidityTypes.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const unreadWord = { ok: false, word: 0n };
const noText = { ok: false, size: 0, words: '0x' } as const;
const weth = base.wrappedNative;
const token = '0x00000000000000000000000000000000000b0b0b';

/** Weighs a token whose factories all return `status`; without `exits` it has no pool. */
function weigh(
  status: PoolStatus,
  {
    enumerated = { ok: true } as Enumerated,
    exits = [] as ExitPool[],
    dropped = [] as LoggedPool[],
    creationsTruncated = false,
    sizeUsd = 1_000,
    holders = [] as LiquidityInput['holders'],
    balances = [] as bigint[],
    bases = [
      { token: weth, tokenDecimals: 18, read: true, answer: 0n, decimals: 8, updatedAt: 0n },
    ] as ExitReading['bases'],
    hops = [] as ExitReading['hops'],
    reach = undefined as Reach | undefined,
  } = {},
) {
  const reading: ExitReading = {
    blockNumber: 7n,
    timestamp: 0n,
    parentHash: '0x00',
    baseFee: 0n,
    hasCode: true,
    codeHash: '0x00',
    decimals: 18,
    totalSupply: 1n,
    owner: unreadWord,
    getOwner: unreadWord,
    answersEverything: false,
    name: noText,
    symbol: noText,
    getters: [],
    balances,
    sequencer: 'up',
    bases,
    pairs: base.pricingAssets.map(({ address }) => ({ counter: address, statuses: candidatePools.map(() => status) })),
    exits,
    hops,
  };
  return weighLiquidity({
    ...{ token, sizeUsd, reading, candidatePools, enumerated, dropped, creationsTruncated, holders, reach },
    deployment: base,
    known: [],
    listed: [],
    prices: new Map([[weth, { usdPerUnit: 1, source: 'feed' }]]),
    doubts: [],
  });
}

test('default: exit liquidity is 0 and conclusive if every factory returns no pool', () => {
  const { coverage, section } = weigh('no-pool');
  expect(coverage).toMatchObject({ conclusive: true, poolsFound: 0, venuesUnread: 0 });
  expect(section).toMatchObject({ poolCount: 0, venueCount: 0, exitLiquidityUsd: 0 });
});

describe('behavior: unread exit liquidity is unavailable, not 0', () => {
  test('if the factories did not respond', () => {
    const finding = weigh('unread');
    expect(finding.coverage).toMatchObject({ conclusive: false, poolsFound: null, factoriesChecked: 0 });
    expect(finding.section).toMatchObject({ poolCount: null, venueCount: null, exitLiquidityUsd: null });
    expect(liquiditySignal(finding, 1_000, null)).toMatchObject({ severity: 'unknown', value: null });
    expect(liquiditySignal(finding, 1_000, null).reason).not.toContain('price');
  });

  test('if the factories do not exist', () => {
    const { coverage, section, reasons } = weigh('no-factory');
    expect(reasons.join(' ')).toContain('No covered factory');
    expect(coverage).toMatchObject({ conclusive: false, poolsFound: null, factoriesChecked: 0 });
    expect(section.exitLiquidityUsd).toBeNull();
  });

  test.each(['range too wide', 'a malformed log', 'the logs end before the block of this check'])(
    'if their logs could not be read in full: %s',
    (reason) => {
      const { coverage, section, reasons } = weigh('no-pool', { enumerated: { ok: false, reason, index: undefined } });
      expect(reasons).toContain(
        `Pools with unlisted counter-assets or hooks could not be searched for: the factories' logs could not be read in full (${reason}).`,
      );
      expect(coverage).toMatchObject({ conclusive: false, poolsFound: 0 });
      expect(section.exitLiquidityUsd).toBeNull();
      expect(section.note).toContain('not every venue');
    },
  );
});

test('behavior: a singleton’s pool counts if its sale adds to the sum', () => {
  const pool = (status: PoolStatus, drawn: bigint, counter: LowerAddress = weth): ExitPool => ({
    candidatePool: 0,
    id: '0x01',
    kind: kinds.v4,
    pool: token,
    counter,
    fee: 3000,
    tickSpacing: 60,
    hooks: noHooks,
    status,
    used: drawn,
    drawn,
    most: drawn,
    price: 0n,
    other: 0n,
  });
  const exits = [pool('filled', 40n), pool('empty', 0n), pool('rejected', 0n), pool('filled', 7n, token)];
  const { coverage, section } = weigh('no-pool', { exits });
  expect(coverage).toMatchObject({ singletonPoolsSeen: 4, singletonPoolsCounted: 1, singletonPoolsRejected: 1 });
  expect(section.exitLiquidityUsd).toBe(40);
});

const pair = (drawnUsd: number, reserveUsd: number, rest: Partial<ExitPool> = {}): ExitPool => ({
  candidatePool: undefined,
  id: '0x02',
  kind: kinds.v2,
  pool: token,
  counter: weth,
  fee: 0,
  tickSpacing: 0,
  hooks: noHooks,
  status: 'partial',
  used: 1n,
  drawn: BigInt(drawnUsd),
  most: BigInt(reserveUsd),
  price: 0n,
  other: BigInt(reserveUsd),
  ...rest,
});

describe('the upper bound of the exit liquidity', () => {
  test('of a pair is its reserve', () => {
    expect(weigh('no-pool', { exits: [pair(54, 60)] })).toMatchObject({ measuredUsd: 54, atMostUsd: 60 });
  });

  test.each([
    ['a concentrated pool whose whole range was not sold', pair(54, 60, { most: undefined })],
    ['a pool that was not measured', pair(0, 0, { status: 'not-requested', most: undefined })],
    ['a pool that pays in an asset without a price', pair(54, 60, { counter: token })],
  ])('is null for %s', (_, exit) => {
    expect(weigh('no-pool', { exits: [exit] }).atMostUsd).toBeNull();
  });
});

describe('conclusive', () => {
  const capped = pair(0, 0, { id: '0x03', status: 'not-requested', most: undefined });

  test.each([
    [49, false],
    [50, true],
  ])('with a pool left unmeasured, measured exit liquidity of %s USD at a size of 1,000 is %s', (usd, conclusive) => {
    const { coverage, complete, reasons } = weigh('no-pool', { exits: [pair(usd, 60), capped] });
    expect([coverage.conclusive, complete]).toEqual([conclusive, false]);
    expect(reasons).toContain(
      'Measured 1 of 2 pools, the largest first (per-call limit); exit liquidity is a lower bound.',
    );
  });

  test('counts pools that were found and not measured; only an unmeasured singleton pool truncates the singleton scan', () => {
    const dropped: LoggedPool[] = [{ ...pair(0, 0), venue: 'uniswap-v2' }];
    const { coverage } = weigh('no-pool', { exits: [pair(100, 110)], dropped });
    expect(coverage).toMatchObject({ conclusive: true, poolsFound: 2, singletonScanTruncated: false });
    const singleton: LoggedPool[] = [{ ...pair(0, 0), kind: kinds.v4, venue: 'uniswap-v4' }];
    expect(weigh('no-pool', { dropped: singleton }).coverage.singletonScanTruncated).toBe(true);
  });
});

describe('F-LIQ', () => {
  test.each([
    [999, 'high'],
    [1_000, 'medium'],
    [4_999, 'medium'],
    [5_000, 'low'],
    [19_999, 'low'],
    [20_000, 'none'],
  ])('exit liquidity of %s USD for 1,000 USD is %s', (usd, severity) => {
    const finding = weigh('no-pool', { exits: [pair(usd, usd)] });
    expect(liquiditySignal(finding, 1_000, null).severity).toBe(severity);
  });

  test('rates a token with refused trades as high, and writes large ratios without exponents', () => {
    const finding = weigh('no-pool', { exits: [pair(1e15, 1e15)] });
    expect(liquiditySignal(finding, 1_000, null)).toMatchObject({
      severity: 'none',
      reason: 'Exit liquidity is more than 1,000 times the size.',
    });
    for (const refused of ['sales', 'purchases'] as const)
      expect(liquiditySignal(finding, 1_000, refused)).toMatchObject({
        severity: 'high',
        reason: expect.stringContaining(`Simulated ${refused} are refused`),
      });
  });
});

test.each([
  [true, 1n, []],
  [true, 10n ** 24n, []],
  [false, 0n, []],
  [false, 1n, ['uniswap-v4']],
])(
  'a balance in a singleton is unmeasured only if its pools are not covered: covered %s, balance %s',
  (covered, balance, names) => {
    const manager = { name: 'uniswap-v4', address: token, covered };
    const { coverage } = weigh('no-pool', { holders: [manager], balances: [balance] });
    expect(coverage.unmeasuredVenueNames).toEqual(names);
  },
);

test('behavior: pools that pay in one asset without a price do not count its reserves several times', () => {
  const junk: LowerAddress = '0x00000000000000000000000000000000000c0c0c';
  // Each sale of the asset alone receives most of the 15 USD of its only pool.
  const exits = [14, 15, 13].map(() => pair(1_000, 1_000, { counter: junk }));
  const hops = [14n, 15n, 13n].map((received, exit) => ({ exit, base: 0, received, pool: junk }));
  const { section, reasons } = weigh('no-pool', { exits, hops });
  expect(section).toMatchObject({ exitLiquidityUsd: 15, largestPoolSharePct: 100 });
  expect(reasons.join(' ')).toContain('2 pool(s) pay in the same asset without a price as a larger pool');
});

describe('an asset without a price', () => {
  const asset: LowerAddress = '0x00000000000000000000000000000000000cafe2';
  const exits = [pair(4, 4, { counter: asset })];
  const reachOf = (pools: ExitPool[], gap?: string): Reach => ({
    status: 'read',
    tokens: pools.length > 0 ? [{ token: asset, pools }] : [],
    gap,
  });

  test('is unknown while its market was not read, although no listed pool buys it', () => {
    const hops = [{ exit: 0, base: 0, received: 0n, pool: token }] as const;
    const { coverage, atMostUsd, section } = weigh('no-pool', { exits, hops: [...hops] });
    expect([coverage.conclusive, atMostUsd, section.exitLiquidityUsd]).toEqual([false, null, null]);
  });

  test('is unknown while its market was not read, although the simulated sale stopped above the pool’s last price', () => {
    const below = [pair(0, 4, { counter: asset, kind: kinds.v3 })];
    const reach = { status: 'unread', reason: 'pools lead to more than 64 tokens' } as const;
    expect(weigh('no-pool', { exits: below, reach }).coverage.conclusive).toBe(false);
  });

  test('pays nothing if none of the tokens reached has a price', () => {
    const { coverage, atMostUsd, section } = weigh('no-pool', { exits, reach: reachOf([]) });
    expect([coverage.conclusive, atMostUsd, section.exitLiquidityUsd]).toEqual([true, 0, 0]);
  });

  test('pays what its own pools pay for the whole amount', () => {
    const pool = pair(3, 3, { price: 12n, used: 108n });
    // 4 units into reserves of 12 and 3.
    const { coverage, atMostUsd } = weigh('no-pool', { exits, reach: reachOf([pool]) });
    expect(coverage.conclusive).toBe(true);
    expect(atMostUsd).toBeCloseTo(0.75, 6);
  });

  test.each([
    ['a pool of the asset could not be measured', reachOf([pair(3, 3)], 'a pool could not be measured')],
    ['the search ended early', { status: 'unread', reason: 'pools lead to more than 64 tokens' } as const],
    [
      'a hook refused the sale of the asset',
      reachOf([pair(0, 3, { status: 'rejected', hooks: '0x0000000000000000000000000000000000000080' })]),
    ],
  ])('has no upper bound if %s', (_why, reach) => {
    expect(weigh('no-pool', { exits, reach }).atMostUsd).toBeNull();
  });

  const unpriced: LowerAddress = '0x00000000000000000000000000000000000cafe1';
  const stale = { read: true, answer: 1n, updatedAt: 0n, decimals: 8, tokenDecimals: 18, token: unpriced } as const;

  test('has no upper bound if it also sells into a base asset without a price', () => {
    const reach = reachOf([pair(3, 3, { price: 12n, used: 108n }), pair(3, 3, { counter: unpriced })]);
    expect(weigh('no-pool', { exits, reach, bases: [stale] }).atMostUsd).toBeNull();
  });

  test('has no upper bound if another pool holds a base asset without a price, although its sale drew nothing', () => {
    const unsold = pair(0, 4, { counter: unpriced, kind: kinds.v3, most: 4n });
    const { coverage, atMostUsd } = weigh('no-pool', { exits: [...exits, unsold], reach: reachOf([]), bases: [stale] });
    expect([coverage.conclusive, atMostUsd]).toEqual([true, null]);
  });
});
