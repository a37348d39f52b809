import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { HolderCandidates } from '../pretradePorts.ts';
import { contradictHolders } from './contradictHolders.ts';

const wallet = (n: number) => toLowerAddress(`0x${n.toString(16).padStart(40, '0')}`);
const supply = 1_000_000n;

/** A list of holders with what the source says of each, and what the chain says. */
function judge(
  entries: { said: bigint | null; held: bigint }[],
  { count = null as number | null, others = [] as bigint[] } = {},
): string | undefined {
  const candidates: HolderCandidates = {
    holders: entries.map(({ said }, n) => ({ address: wallet(n + 1), rawBalanceHint: said })),
    exactCount: null,
    approximateCount: count,
    source: 'explorer',
    measuredAt: 0,
    asOfBlock: null,
  };
  const balances = [
    ...entries.map(({ held }, n) => ({ address: wallet(n + 1), balance: held, named: true })),
    ...others.map((balance, n) => ({ address: wallet(n + 0xaa), balance, named: false })),
  ];
  return contradictHolders(candidates, balances, supply);
}
const honest = [600_000n, 300_000n, 100_000n].map((held) => ({ said: held, held }));

test('default: a list that the chain bears out', () => {
  expect(judge(honest)).toBeUndefined();
  expect(judge(honest, { count: 3 })).toBeUndefined();
});

test('behavior: small shifts since the source looked are no contradiction', () => {
  const moved = honest.map(({ said, held }, n) => ({ said, held: n === 0 ? held - 5_000n : held }));
  expect(judge(moved, { count: 3 })).toBeUndefined();
});

test('behavior: many small wallets may hold the rest', () => {
  const top = Array.from({ length: 50 }, () => ({ said: 10_000n, held: 10_000n }));
  expect(judge(top, { count: 5_000 })).toBeUndefined();
  expect(judge(top)).toBeUndefined();
});

test('behavior: a pool that is left out is no contradiction while it holds less than the named', () => {
  expect(judge(honest.slice(0, 2), { count: 2, others: [100_000n] })).toBeUndefined();
});

test.each([
  ['no holder with a balance', [{ said: null, held: 0n }], {}, /holds any/],
  ['less than half of what is said', [{ said: 900_000n, held: 400_000n }], {}, /less than half/],
  ['a larger holder left out', [{ said: 9n, held: 9n }], { others: [500_000n] }, /leaves out 0x0+AA,/],
  ['all of few holders, and half of the supply', [{ said: 500_000n, held: 500_000n }], { count: 1 }, /50 %/],
  [
    'more room than its other wallets have',
    [
      { said: 400_000n, held: 400_000n },
      { said: 1n, held: 1n },
    ],
    { count: 1_000 },
    /of the supply/,
  ],
])('error: %s', (_what, entries, options, why) => {
  expect(judge(entries, options)).toMatch(why);
});
