import { expect, test } from 'vitest';
import type { Axis, Composed } from './attribution.ts';
import { oracleAxis } from './axes/oracle.ts';
import { attribute } from './sources.ts';

const known = (source: string, fields: object = {}) => ({ status: 'known', value: { source, ...fields } });
const mintsElsewhere = { effect: 'mint', isOfOtherToken: true };
const composed = {
  inputs: {
    vendors: {
      firstTransfer: known('age'),
      creator: known('creator'),
      market: known('market', { holderCount: null }),
      holders: known('holder count'),
    },
    topHolderMove: known('move'),
    reading: { exit: { hasCode: true } },
  },
  powers: [mintsElsewhere],
} as unknown as Composed;

/** The source of the only field of an answer. */
function sourceOf(path: string): string | undefined {
  const answer = path.split('.').reduceRight<unknown>((value, key) => ({ [key]: value }), 1);
  return attribute(answer as Parameters<typeof attribute>[0], composed)[path];
}

test.each([
  ['risk_profile.age.ageDays', 'age'],
  ['ownership.creatorAddress', 'creator'],
  ['dormancy.lastTopHolderMoveBlock', 'move'],
  ['market.holderCount', 'holder count'],
  ['market.priceUsdSpot', 'market'],
  ['market.volume24hUsd', 'market'],
])('attributes %s to the vendor of the %s', (path, vendor) => {
  expect(sourceOf(path)).toBe(`vendor: ${vendor}`);
});

test.each(['identity.decimals', 'liquidityCoverage.poolsFound', 'ownership.ownerAddress', 'dormancy.headBlock'])(
  'attributes %s to a measurement',
  (path) => expect(sourceOf(path)).toBe('measured'),
);

test('attributes a list as one leaf, and a note to its section', () => {
  const answer = { triggers: ['a', 'b'], identity: { note: 'text' } } as unknown as Parameters<typeof attribute>[0];
  const sources = attribute(answer, composed);
  expect(sources['triggers[]']).toMatch(/^derived: liquidityCoverage, /);
  expect(sources['identity.note']).toBe('derived: identity');
  expect(sources.note).toMatch(/^One entry for each field/);
  expect(Object.keys(sources).sort()).toEqual(['disclaimer', 'identity.note', 'note', 'sources.note', 'triggers[]']);
});

test.each([
  { status: 'none', words: 'not found' },
  { status: 'unread', words: 'read failed' },
  { status: 'not-requested', words: 'not requested' },
] as const)('describes a null with the status $status as $words, with the reason', ({ status, words }) => {
  const answer = { market: { priceUsdSpot: null } } as unknown as Parameters<typeof attribute>[0];
  const market = { status, reason: 'api.example did not respond.' };
  const inputs = { ...composed.inputs, vendors: { ...composed.inputs.vendors, market } };
  expect(attribute(answer, { ...composed, inputs })['market.priceUsdSpot']).toBe(
    `unavailable: ${words}: api.example did not respond`,
  );
});

test('attributes a signal by the axis of its section; the axis of another section does not compile', () => {
  // @ts-expect-error: the axis of one section is not assignable to that of another
  const wrong: Axis<'age'> = oracleAxis;
  expect(wrong).toBe(oracleAxis);
  expect(sourceOf('flags.F-AGE.value')).toBe('derived: risk_profile.age.ageDays');
});

test('attributes a power of another token with the same code to that token', () => {
  expect(sourceOf('ownership.isMintable')).toBe('derived: token; calls simulated with another token of the same code');
  expect(sourceOf('risk_profile.transferability.hasBlacklist')).toBe('measured');
});

function sourcesOfConcentration(section: object) {
  const answer = { risk_profile: { concentration: section } } as unknown as Parameters<typeof attribute>[0];
  const sources = attribute(answer, composed);
  return ({ field }: { field: string }) => sources[`risk_profile.concentration.${field}`];
}

test('attributes holders of this call to a measurement, and the source to its name', () => {
  const shares = { top1SharePct: 4, source: 'holders', ageSec: null, stale: false };
  const sourceOfField = sourcesOfConcentration({ ...shares, holders: 9, holdersExact: 9 });
  expect(sourceOfField({ field: 'ageSec' })).toBe('measured');
  for (const field of ['source', 'holders', 'holdersExact']) expect(sourceOfField({ field })).toBe('vendor: holders');
  expect(sourceOfField({ field: 'top1SharePct' })).toMatch(/^derived: identity\.totalSupplyRaw and /);
});

test('attributes stored shares to a measurement of their age', () => {
  const sourceOfField = sourcesOfConcentration({ top1SharePct: 4, asOfBlock: 7, ageSec: 90, stale: true });
  expect(sourceOfField({ field: 'ageSec' })).toBe('derived: ts; minus the time of the stored measurement');
  for (const field of ['top1SharePct', 'asOfBlock'])
    expect(sourceOfField({ field })).toBe(
      'derived: risk_profile.concentration.ageSec; a stored measurement of that age',
    );
});

test('rejects a field without a rule', () => {
  expect(() => sourceOf('market2.price')).toThrow('No attribution for market2.price.');
});
