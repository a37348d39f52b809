import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toPretradeWire } from '../../router/pretrade/toPretradeWire.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { checkAll, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

let fixture: TestTokensOnBase;
/** Response bodies, by symbol. */
const bodies = new Map<string, { [key: string]: Json }>();
/** Tokens of the sandbox's market, and an address without code. */
const others = ['WETH', 'USDC', 'AERO', 'cbBTC', 'noContract'];

const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
ajv.addSchema(document, 'doc');
const validate = ajv.compile({ $ref: 'doc#/components/schemas/PretradeCheck' });

beforeAll(async () => {
  fixture = await startTestTokens();
  const { checker } = checkerOn(fixture.base);
  const keep = (symbol: string, answer: Parameters<typeof toPretradeWire>[0]) =>
    bodies.set(symbol, JSON.parse(JSON.stringify(toPretradeWire(answer))));
  for (const [symbol, answer] of await checkAll(fixture, checker)) keep(symbol, answer);
  for (const symbol of others) {
    const token = fixture.base.tokens.find((candidate) => candidate.symbol === symbol)?.address ?? noContract;
    keep(symbol, await checker.check({ chain: 'base', token }));
  }
});
afterAll(() => fixture?.sandbox.close());

const noContract = '0x00000000000000000000000000000000000b0b0b';
const symbols = [...coreTokens.map(({ symbol }) => symbol), ...others].map((symbol) => [symbol]);

function bodyOf(symbol: string): { [key: string]: Json } {
  const body = bodies.get(symbol);
  if (!body) throw new TypeError(`${symbol} was not checked.`);
  return body;
}

test.each(symbols)('default: the answer for %s matches the published schema', (symbol) => {
  expect(validate(bodyOf(symbol)) ? [] : validate.errors).toEqual([]);
});

test.each(symbols)('default: sources has one entry for each leaf of the answer for %s, and no other', (symbol) => {
  const body = bodyOf(symbol);
  const { sources, ...rest } = body;
  const attributed = sources as { [path: string]: Json };
  expect(Object.keys(attributed).sort()).toEqual([...leaves(rest), 'note', 'sources.note'].sort());
  for (const [path, attribution] of Object.entries(attributed)) {
    if (path !== 'note') expect(attribution).toMatch(/^(measured$|derived: \S|vendor: \S|unavailable: \S)/);
  }
});

test.each(symbols)('every derived source of %s lists fields of the answer', (symbol) => {
  const { sources, ...rest } = bodyOf(symbol);
  const answer = { ...rest, sources: sources ?? null };
  for (const [path, attribution] of Object.entries(sources as { [path: string]: string })) {
    const [fields] = attribution.match(/^derived: ([^;]+)/)?.slice(1) ?? [];
    const unknown = (fields?.split(/, | and /) ?? []).filter((field) => valueAt(answer, field) === undefined);
    expect([path, attribution, unknown]).toEqual([path, attribution, []]);
  }
});

test.each(symbols)('behavior: exactly the null values of %s have the source "unavailable"', (symbol) => {
  const { sources, ...rest } = bodyOf(symbol);
  for (const [path, attribution] of Object.entries(sources as { [path: string]: string })) {
    if (path === 'note' || path === 'sources.note') continue;
    const isFreshAge = path === 'risk_profile.concentration.ageSec' && attribution === 'measured';
    expect([path, attribution.startsWith('unavailable: ')]).toEqual([
      path,
      valueAt(rest, path) === null && !isFreshAge,
    ]);
  }
});

test.each(symbols)(
  'behavior: the source of each null of %s contains a kind and a reason, and not the note of its section',
  (symbol) => {
    const { sources, ...rest } = bodyOf(symbol);
    const attributed = sources as { [path: string]: string };
    for (const [path, attribution] of Object.entries(attributed)) {
      if (!attribution.startsWith('unavailable: ')) continue;
      expect([path, attribution]).toEqual([
        path,
        expect.stringMatching(/^unavailable: (not found|read failed|not requested): \S/),
      ]);
      // A note describes its whole section, so it is the reason of none of its fields.
      const note = valueAt(rest, `${path.replace(/\.[^.]+$/, '')}.note`);
      if (typeof note === 'string') expect(attribution).not.toContain(note.replace(/\.$/, ''));
    }
  },
);

test.each(symbols)('behavior: the reason for a null of %s does not describe another value', (symbol) => {
  const { sources } = bodyOf(symbol) as { sources: { [path: string]: string } };
  for (const [path, attribution] of Object.entries(sources)) {
    if (!attribution.startsWith('unavailable: ')) continue;
    expect([path, attribution]).not.toEqual([
      path,
      expect.stringMatching(/times the size|The first transfer|ten largest|The mid of/),
    ]);
    expect(attribution).not.toBe('unavailable: not measured');
    expect(attribution).not.toMatch(/^unavailable: (Read from the token|Republished|Shares include)/);
  }
});

const unavailableReasons: [symbol: string, path: string, attribution: RegExp][] = [
  ['PLAIN', 'ownership.ownerAddress', /^unavailable: not found: the token has no owner\(\)/],
  ['ECHO', 'ownership.ownerAddress', /^unavailable: not found: owner\(\) returns no address/],
  ['PLAIN', 'ownership.creatorAddress', /^unavailable: not requested: /],
  ['PLAIN', 'risk_profile.age.ageDays', /^unavailable: not requested: /],
  ['PLAIN', 'risk_profile.concentration.top1SharePct', /^unavailable: not requested: /],
  ['PLAIN', 'flags.F-FOT.cachedAgeSec', /^unavailable: not found: /],
  ['PLAIN', 'risk_profile.oracle.source', /^unavailable: not found: no price feed/],
  ['GATEOFF', 'risk_profile.transferability.sellTaxRaw', /^unavailable: not found: a simulated purchase is refused/],
  ['NOPOOL', 'risk_profile.transferability.sellTaxRaw', /^unavailable: not found: there is no pool/],
  ['VAULTED', 'risk_profile.transferability.sellTaxRaw', /^unavailable: read failed: .*balancer/],
  ['NOPOOL', 'risk_profile.liquidity.largestPoolSharePct', /^unavailable: not found: there is no pool/],
  ['JUNKPAIR', 'risk_profile.liquidity.largestPoolSharePct', /^unavailable: not found: no pool pays/],
  ['NAMELESS', 'identity.name', /^unavailable: not found: /],
  ['USDC', 'quote', /^unavailable: not requested: /],
  ['noContract', 'risk_profile.transferability.hasBlacklist', /^unavailable: not found: there is no contract/],
  ['noContract', 'risk_profile.transferability.hasMaxLimit', /^unavailable: not found: there is no contract/],
  ['noContract', 'ownership.isMintable', /^unavailable: not found: there is no contract/],
  ['NOPOOL', 'quote', /^unavailable: not found: \S/],
  ['noContract', 'identity.decimals', /^unavailable: not found: there is no contract/],
];
test.each(unavailableReasons)('behavior: for %s, %s is unavailable with reason %s', (symbol, path, attribution) => {
  expect((bodyOf(symbol).sources as { [path: string]: string })[path]).toMatch(attribution);
});

test.each(symbols)('behavior: axesReporting counts the axes of %s whose severity is not "unknown"', (symbol) => {
  const { flags, coverage } = bodyOf(symbol) as unknown as {
    flags: Record<string, { severity: string; value: number | null; reason: string }>;
    coverage: { axesExpected: number; axesReporting: number };
  };
  expect(Object.keys(flags).sort()).toEqual(['F-AGE', 'F-CONC', 'F-FOT', 'F-LIQ', 'O-SANITY']);
  const known = Object.values(flags).filter(({ severity }) => severity !== 'unknown');
  expect(coverage).toEqual({ axesExpected: 5, axesReporting: known.length });
  for (const { severity, value, reason } of Object.values(flags)) {
    // Without a feed the axis does not apply, so its value is null but not missing.
    const cannotApply = reason === 'No price feed is known for this token.';
    expect([severity, value === null]).toEqual([severity, severity === 'unknown' || cannotApply]);
    if (cannotApply) expect(severity).toBe('none');
    expect(reason.length).toBeGreaterThan(10);
  }
});

test('behavior: WETH is clear, and its price is within 100 bps of its feed', () => {
  const body = bodyOf('WETH') as unknown as {
    verdict: string;
    risk_profile: { oracle: { source: string; deviationBps: number } };
  };
  expect(body.verdict).toBe('clear');
  expect(body.risk_profile.oracle.source).toMatch(/^chainlink 0x/);
  expect(Math.abs(body.risk_profile.oracle.deviationBps)).toBeLessThan(100);
});

test('behavior: the verdict for an address without code is avoid with NO_EXIT_VENUE', () => {
  expect(bodyOf('noContract')).toMatchObject({ verdict: 'avoid', triggers: ['NO_EXIT_VENUE'], quote: null });
});

function leaves(value: Json, path = ''): string[] {
  if (Array.isArray(value)) return [`${path}[]`];
  if (value === null || typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, part]) => leaves(part, path === '' ? key : `${path}.${key}`));
}

function valueAt(body: Json, path: string): Json | undefined {
  return path
    .replace(/\[\]$/, '')
    .split('.')
    .reduce<Json | undefined>(
      (part, key) => (part !== null && typeof part === 'object' && !Array.isArray(part) ? part[key] : undefined),
      body,
    );
}
