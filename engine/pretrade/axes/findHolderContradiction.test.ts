import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { HolderCandidates } from '../pretradePorts.ts';
import { findHolderContradiction } from './findHolderContradiction.ts';

const wallet = (n: number) => toLowerAddress(`0x${n.toString(16).padStart(40, '0')}`);
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
