import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { deployments } from './deployments/deployments.ts';
import { kinds } from './kinds.ts';
import { toCandidatePools } from './toCandidatePools.ts';

const { venues } = deployments.base;

test('default: an extra shape has a candidate pool for the wrapped token and one for the native currency', () => {
  const hooks = '0x00000000000000000000000000000000000000C4';
  const added = toCandidatePools(venues, [{ fee: 500, tickSpacing: 10, hooks }]).filter(
    (candidatePool) => candidatePool.hooks === hooks.toLowerCase(),
  );
  expect(added.map(({ kind }) => kind)).toEqual([kinds.v4, kinds.v4Native]);
});

// Otherwise one pool counts as two independent routes.
test('behavior: adds a known shape or venue only once, in either letter case', () => {
  const usual = toCandidatePools(venues);
  expect(toCandidatePools(venues, [{ fee: 3000, tickSpacing: 60 }])).toEqual(usual);
  const checksummed = venues.map((row) =>
    row.family === 'algebra' ? { ...row, factory: getAddress(row.factory) } : row,
  );
  expect(toCandidatePools([...venues, ...checksummed])).toHaveLength(usual.length);
});
