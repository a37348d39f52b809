import { expect, test } from 'vitest';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { HolderCandidates, HolderMeasurement } from '../pretradePorts.ts';
import { type ConcentrationInput, findHolderContradiction, weighConcentration } from './concentration.ts';

const wallet = (index: number) => toLowerAddress(`0x${index.toString(16).padStart(40, '0')}`);
const holders = [11, 12, 13].map((index) => ({ address: wallet(index), rawBalanceHint: null }));

function weigh(balances: readonly bigint[], unreadListed = 0, pools: readonly LowerAddress[] = []) {
  return weighConcentration({
    token: wallet(10),
    candidates: {
      status: 'known',
      stored: false,
      value: { holders, exactCount: null, approximateCount: 3, source: 'explorer', measuredAt: 0, asOfBlock: null },
    },
    measured: {
      blockNumber: 7n,
      balances: balances.map((balance, index) => ({ address: wallet(11 + index), balance, listed: true })),
      unread: unreadListed,
      unreadListed,
    },
    stored: undefined,
    totalSupply: 100n,
    pools: new Set(pools),
    now: 0,
  });
}

test('default: returns shares of the supply that were read on this call', () => {
  const { section, signal } = weigh([60n, 30n, 10n]);
  expect(section).toMatchObject({ top1SharePct: 60, top10SharePct: 100, ageSec: null, stale: false, asOfBlock: 7 });
  expect(signal).toMatchObject({ severity: 'high', value: 100 });
});

test('behavior: shares are null if a listed holder could not be read, because it may be the largest', () => {
  const { section, signal, measurement } = weigh([10n, 5n], 1);
  expect(section).toMatchObject({ top1SharePct: null, top10SharePct: null, ageSec: null, stale: null });
  expect(section.note).toContain('balances of listed holders could not be read: 1');
  expect(signal).toMatchObject({ severity: 'unknown', value: null });
  expect(measurement).toBeUndefined();
});

test('counts neither pools nor burn addresses nor the token itself as wallets', () => {
  const { section, signal, topHolder } = weigh([60n, 30n, 10n], 0, [wallet(11)]);
  expect(section).toMatchObject({ top1SharePct: 60, top10SharePct: 100 });
  expect(section.note).toContain('pools 60.00 %');
  expect(signal).toMatchObject({ severity: 'low', value: 40 });
  expect(topHolder).toBe(wallet(12));
});

test.each([
  [25n, 'none'],
  [26n, 'low'],
  [50n, 'low'],
  [51n, 'medium'],
  [80n, 'medium'],
  [81n, 'high'],
])('rates a share of %s percent as %s', (share, severity) => {
  // A pool holds the rest.
  expect(weigh([share, 100n - share], 0, [wallet(12)]).signal).toMatchObject({ severity, value: Number(share) });
});

const balanceOf = (index: number, balance: bigint) => ({ address: wallet(index), balance, listed: true });

/** A finding for three listed holders with 60, 30 and 10 % of the supply, with the changes of a test. */
function weighWith(change: Partial<ConcentrationInput> = {}) {
  return weighConcentration({
    token: wallet(10),
    candidates: {
      status: 'known',
      stored: false,
      value: { holders, exactCount: null, approximateCount: 3, source: 'explorer', measuredAt: 0, asOfBlock: null },
    },
    measured: {
      blockNumber: 7n,
      balances: [balanceOf(11, 60n), balanceOf(12, 30n), balanceOf(13, 10n)],
      unread: 0,
      unreadListed: 0,
    },
    stored: undefined,
    totalSupply: 100n,
    pools: new Set(),
    now: 5_000,
    ...change,
  });
}
/** Without a number of holders, the list may leave out any part of the supply. */
const uncounted = {
  status: 'known',
  stored: false,
  value: { holders, exactCount: null, approximateCount: null, source: 'explorer', measuredAt: 0, asOfBlock: null },
} as const;
const measuredWith = (balances: ReturnType<typeof balanceOf>[], unread = 0) => ({
  measured: { blockNumber: 7n, balances, unread, unreadListed: 0 },
});

test('sorts holders by balance, whatever the order of the source', () => {
  const orders = [
    [10n, 60n, 30n],
    [60n, 10n, 30n],
    [30n, 60n, 10n],
  ];
  for (const order of orders) {
    const { section, topHolder } = weighWith(measuredWith(order.map((balance, at) => balanceOf(11 + at, balance))));
    expect(section.top1SharePct).toBe(60);
    expect(topHolder).toBe(wallet(11 + order.indexOf(60n)));
  }
});

test('counts ten holders, not more, to a millionth of a percent', () => {
  const { section, signal } = weighWith({
    ...measuredWith(Array.from({ length: 12 }, (_, at) => balanceOf(11 + at, 7n))),
    candidates: uncounted,
    totalSupply: 3_000n,
  });
  expect(section).toMatchObject({ top1SharePct: 0.233333, top10SharePct: 2.333333 });
  expect(signal.value).toBe(2.333333);
});

test('states the shares of pools, burn addresses and the token itself', () => {
  const dead = '0x000000000000000000000000000000000000dead';
  const { section, topHolder, signal } = weighWith({
    ...measuredWith([
      balanceOf(11, 40n),
      { address: dead, balance: 20n, listed: true },
      balanceOf(10, 10n),
      balanceOf(12, 0n),
      balanceOf(13, 5n),
    ]),
    candidates: uncounted,
    pools: new Set([wallet(11), wallet(12)]),
  });
  expect(section.note).toBe(
    'Shares include every holder. Of the balances read: pools 40.00 %, burn addresses 20.00 %, the token itself 10.00 %; the ten largest other holders have 5.00 %.',
  );
  expect(topHolder).toBe(wallet(13));
  expect(signal.value).toBe(5);
});

test('reports balances that could not be read, and that no pool was among the others', () => {
  expect(weighWith().section.note).toContain(
    'Of the balances read: no pool or burn address; the ten largest other holders have',
  );
  expect(weighWith().section.note).not.toContain('could not be read');
  const { measured } = measuredWith([balanceOf(11, 60n), balanceOf(12, 30n), balanceOf(13, 10n)], 2);
  expect(weighWith({ measured }).section.note).toMatch(/ 2 balances could not be read\.$/);
});

test('returns the measurement that is to be stored', () => {
  const { measurement } = weighWith();
  expect(measurement).toMatchObject({
    measuredAt: 5_000,
    blockNumber: 7n,
    source: 'explorer',
    top1SharePct: 60,
    top10SharePct: 100,
    holders: 3,
    holdersExact: null,
    topHolder: wallet(11),
  });
  const pools = new Set([11, 12, 13].map(wallet));
  expect(weighWith({ pools })).toMatchObject({ topHolder: null, measurement: { topHolder: null } });
});

const value = { holders, approximateCount: 3, source: 'explorer', measuredAt: 0, asOfBlock: null };

test('prefers an exact number of holders', () => {
  const candidates = { status: 'known', stored: false, value: { ...value, exactCount: 9 } } as const;
  expect(weighWith({ candidates }).section).toMatchObject({ holders: 9, holdersExact: 9 });
});

const contradicting = { ...value, exactCount: null, holders: [{ address: wallet(11), rawBalanceHint: 1_000n }] };
const unavailable: [string, Partial<ConcentrationInput>][] = [
  ['the explorer is down', { candidates: { status: 'unread', reason: 'the explorer is down.' } as never }],
  ['totalSupply() cannot be read', { totalSupply: undefined }],
  ['the supply is zero', { totalSupply: 0n }],
  ['balances could not be read', { measured: undefined }],
  ['balances could not be read', measuredWith([])],
  [
    'balances of listed holders could not be read: 1',
    { measured: { ...measuredWith([balanceOf(11, 60n)]).measured, unread: 1, unreadListed: 1 } },
  ],
  [
    'the chain contradicts explorer: ',
    { candidates: { status: 'known', stored: false, value: contradicting }, ...measuredWith([balanceOf(11, 1n)]) },
  ],
];

test.each(unavailable)('reports no shares and the reason: %s', (reason, change) => {
  const { section, signal, measurement, topHolder } = weighWith(change);
  expect(section).toMatchObject({ top1SharePct: null, holders: null, source: null, asOfBlock: null, stale: null });
  expect(section.note).toContain(`Holders are unavailable: ${reason}`);
  expect(signal).toMatchObject({ severity: 'unknown', value: null, reason: section.note, cachedAgeSec: null });
  expect([measurement, topHolder]).toEqual([undefined, null]);
});

test('reports a stored measurement with its age, and an unknown severity', () => {
  const stored: HolderMeasurement = {
    measuredAt: 2_500,
    blockNumber: 3n,
    source: 'explorer',
    top1SharePct: 50,
    top10SharePct: 90,
    holders: 8,
    holdersExact: 8,
    topHolder: wallet(11),
    note: 'As stored.',
  };
  expect(weighWith({ stored, measured: undefined })).toEqual({
    section: {
      ...{ top1SharePct: 50, top10SharePct: 90, holders: 8, holdersExact: 8, source: 'explorer' },
      ...{ asOfBlock: 3, ageSec: 2, stale: true },
      note: 'Stored measurement, 2 s old, because holders could not be measured now (balances could not be read). As stored.',
    },
    signal: {
      ...{ severity: 'unknown', value: null, unit: 'percent', cachedAgeSec: 2 },
      reason: 'Holders could not be measured on this call: balances could not be read.',
    },
    measurement: undefined,
    topHolder: wallet(11),
  });
  // The age is not negative after the clock was set back.
  expect(weighWith({ stored, measured: undefined, now: 0 }).section.ageSec).toBe(0);
  // A measurement of this call takes precedence.
  expect(weighWith({ stored }).section).toMatchObject({ top1SharePct: 60, stale: false });
});

const supply = 1_000_000n;

/** The contradiction between the balances that a source claims and those on chain. */
function contradictionIn(
  entries: { claimed: bigint | null; held: bigint }[],
  { count = null as number | null, others = [] as bigint[] } = {},
): string | undefined {
  const candidates: HolderCandidates = {
    holders: entries.map(({ claimed }, n) => ({ address: wallet(n + 1), rawBalanceHint: claimed })),
    exactCount: null,
    approximateCount: count,
    source: 'explorer',
    measuredAt: 0,
    asOfBlock: null,
  };
  const balances = [
    ...entries.map(({ held }, n) => ({ address: wallet(n + 1), balance: held, listed: true })),
    ...others.map((balance, n) => ({ address: wallet(n + 0xaa), balance, listed: false })),
  ];
  return findHolderContradiction(candidates, balances, supply);
}
const honest = [600_000n, 300_000n, 100_000n].map((held) => ({ claimed: held, held }));

test('default: no contradiction if the balances match the list', () => {
  expect(contradictionIn(honest)).toBeUndefined();
  expect(contradictionIn(honest, { count: 3 })).toBeUndefined();
});

test('behavior: balances that changed slightly since the source read them are no contradiction', () => {
  const moved = honest.map(({ claimed, held }, n) => ({ claimed, held: n === 0 ? held - 5_000n : held }));
  expect(contradictionIn(moved, { count: 3 })).toBeUndefined();
});

test('behavior: many small wallets may hold the rest', () => {
  const top = Array.from({ length: 50 }, () => ({ claimed: 10_000n, held: 10_000n }));
  expect(contradictionIn(top, { count: 5_000 })).toBeUndefined();
  expect(contradictionIn(top)).toBeUndefined();
});

test('behavior: an omitted pool is no contradiction if it holds less than each listed holder', () => {
  expect(contradictionIn(honest.slice(0, 2), { count: 2, others: [100_000n] })).toBeUndefined();
});

test.each([
  ['no holder with a balance', [{ claimed: null, held: 0n }], {}, /has a balance/],
  ['less than half of the claimed balance', [{ claimed: 900_000n, held: 400_000n }], {}, /less than half/],
  ['an omitted larger holder', [{ claimed: 9n, held: 9n }], { others: [500_000n] }, /omits 0x0+AA,/],
  ['a complete list with half of the supply', [{ claimed: 500_000n, held: 500_000n }], { count: 1 }, /50 %/],
  [
    'a list whose other wallets cannot hold the rest of the supply',
    [
      { claimed: 400_000n, held: 400_000n },
      { claimed: 1n, held: 1n },
    ],
    { count: 1_000 },
    /of the supply/,
  ],
])('error: returns the contradiction for %s', (_case, entries, options, expected) => {
  expect(contradictionIn(entries, options)).toMatch(expected);
});
