import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../router/index.ts';

// The OpenAPI document describes every field of the pretrade check and contains a complete example.

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
const document: any = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8'));
const schema = document.components.schemas.PretradeCheck;
const paths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'];
const ajv = new Ajv2020({ strict: true, strictTypes: false, validateSchema: false, allErrors: true });

interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
  required?: string[];
  additionalProperties?: unknown;
}
interface Field {
  path: string;
  field: Schema;
  nullable: boolean;
}

const typesOf = (field: Schema): (string | undefined)[] => (field.anyOf ?? [field]).flatMap(({ type }) => type);

function fieldsOf(object: Schema, prefix = ''): Field[] {
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const variants = field.anyOf ?? [field];
    const nullable = typesOf(field).includes('null');
    return [{ path, field, nullable }, ...variants.flatMap((variant) => fieldsOf(variant, `${path}.`))];
  });
}
const fields = fieldsOf(schema);

/** The leaves of an answer with their paths; a list is one leaf. */
function leavesOf(value: object, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    const path = `${prefix}${key}`;
    if (Array.isArray(part)) return [[`${path}[]`, part]];
    return part !== null && typeof part === 'object' ? leavesOf(part, `${path}.`) : [[path, part]];
  });
}

test('default: every field is described', () => {
  expect(fields.length).toBeGreaterThan(120);
  expect(fields.filter(({ field }) => !field.description).map(({ path }) => path)).toEqual([]);
});

test('default: every field is required, and additional properties are forbidden', () => {
  const check = (object: Schema, path: string): void => {
    if (!object.properties) return;
    expect(object.required?.toSorted(), path).toEqual(Object.keys(object.properties).sort());
    if (path !== 'sources') expect(object.additionalProperties, path).toBe(false);
    for (const [name, field] of Object.entries(object.properties)) {
      for (const variant of field.anyOf ?? [field]) check(variant, path === '' ? name : `${path}.${name}`);
    }
  };
  check(schema, '');
});

test('default: descriptions of numbers contain their unit', () => {
  const units =
    /days|block|percent|number of|how many|USD|US dollars|seconds|basis points|fraction|whole tokens|pools|venues|factories|axes|decimal places|wallets|measured in `unit`|milliseconds|one USDC/i;
  const numbers = fields.filter(({ field }) => typesOf(field).some((type) => type === 'number' || type === 'integer'));
  expect(numbers.length).toBeGreaterThan(50);
  const withoutUnit = numbers.filter(({ field }) => !units.test(field.description ?? ''));
  expect(withoutUnit.map(({ path, field }) => `${path}: ${field.description}`)).toEqual([]);
});

test('default: measurements are nullable; verdict, reasons and timestamps are not', () => {
  const nullable = new Set(fields.filter((entry) => entry.nullable).map(({ path }) => path));
  for (const path of ['verdict', 'triggers', 'confidence', 'reasons', 'sizeUSD', 'ts', 'validUntil', 'disclaimer']) {
    expect(nullable.has(path), path).toBe(false);
  }
  for (const path of [
    'quote',
    'risk_profile.age.ageDays',
    'risk_profile.concentration.stale',
    'risk_profile.liquidity.exitLiquidityUsd',
    'risk_profile.transferability.tradingEnabled',
    'flags.F-CONC.value',
    'liquidityCoverage.poolsFound',
    'liquidityCoverage.venuesUnread',
    'identity.totalSupplyRaw',
    'ownership.ownerRenounced',
    'market.priceUsdSpot',
  ]) {
    expect(nullable.has(path), path).toBe(true);
  }
  expect([...nullable].filter((path) => path.endsWith('.note'))).toEqual([]);
});

describe.each(paths)('%s', (path) => {
  const { post } = document.paths[path];
  const content = post.responses['200'].content['application/json'];

  test('default: refers to the same schemas and shows the same example', () => {
    expect(content.schema.$ref).toBe('#/components/schemas/PretradeCheck');
    expect(post.requestBody.content['application/json'].schema.$ref).toBe('#/components/schemas/PretradeRequest');
    expect(content.example).toEqual(catalogue.find(({ name }) => name === 'pretradeCheck')?.exampleAnswer);
    for (const status of ['400', '402', '405', '422', '429', '503'])
      expect(post.responses[status], status).toBeDefined();
  });

  test('default: the example is valid, and every leaf has a source', () => {
    const validate = ajv.compile(schema);
    expect(validate(content.example) ? [] : validate.errors).toEqual([]);
    const { sources, ...answer } = content.example;
    const { note: _, ...attributed } = sources;
    const leaves = leavesOf(answer);
    expect(Object.keys(attributed).sort()).toEqual([...leaves.map(([at]) => at), 'sources.note'].sort());
    for (const source of Object.values(attributed))
      expect(source).toMatch(/^(measured$|(derived|vendor|unavailable): .)/);
    for (const [at, value] of leaves) {
      // A null age is the value of a measurement of this call.
      const isFresh = at === 'risk_profile.concentration.ageSec' && answer.risk_profile.concentration.stale === false;
      expect(attributed[at].startsWith('unavailable: '), at).toBe(value === null && !isFresh);
    }
  });
});

test('error: the schema rejects an answer with an additional, missing or invalid field', () => {
  const validate = ajv.compile(schema);
  const { example } = document.paths['/v1/rug-check'].post.responses['200'].content['application/json'];
  const { verdict: _, ...without } = example;
  for (const wrong of [
    without,
    { ...example, more: 1 },
    { ...example, verdict: 'caution' },
    { ...example, triggers: ['HONEYPOT'] },
    { ...example, risk_profile: { ...example.risk_profile, age: { ageDays: 1, genesisBlock: 1 } } },
    { ...example, sources: { ...example.sources, verdict: 1 } },
  ]) {
    expect(validate(wrong)).toBe(false);
  }
});
