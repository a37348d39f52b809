import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { publishDocument } from '../../router/index.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of any depth
type Json = any;

const document: Json = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

/** Yields each field of a schema with its path, nested fields and variants included. */
function* fieldsOf(schema: Json, at: string): Generator<[string, Json]> {
  for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
    yield [`${at}.${name}`, field];
    yield* fieldsOf(field, `${at}.${name}`);
  }
  if (schema.items) yield* fieldsOf(schema.items, `${at}[]`);
  for (const variant of schema.anyOf ?? []) yield* fieldsOf(variant, at);
}

const fields = Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) => [
  [name, schema] as [string, Json],
  ...fieldsOf(schema, name),
]);

test('default: every schema and field has a description', () => {
  expect(fields.length).toBeGreaterThan(150);
  expect(fields.filter(([, { description }]) => !description).map(([at]) => at)).toEqual([]);
});

test('default: every leaf field without a constant has an example', () => {
  const withoutExample = fields.filter(
    ([, field]) =>
      !field.properties &&
      !field.examples &&
      field.const === undefined &&
      !field.items?.properties &&
      !field.anyOf?.some((variant: Json) => variant.properties) &&
      typeof field.additionalProperties !== 'object',
  );
  expect(withoutExample.map(([at]) => at)).toEqual([]);
});

test('default: every operation has a summary and a description, every response one media type and X-Request-Id', () => {
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    for (const operation of Object.values<Json>(operations)) {
      expect(operation.summary, path).toBeTruthy();
      expect(operation.description, path).toBeTruthy();
      for (const [status, response] of Object.entries<Json>(operation.responses)) {
        expect(Object.keys(response.content ?? {}), `${path} ${status}`).toHaveLength(1);
        expect(Object.keys(response.headers), `${path} ${status}`).toContain('X-Request-Id');
      }
    }
  }
});

test('default: descriptions contain price, limits and disclaimer', () => {
  const { post } = document.paths['/v1/pretrade/check'];
  expect(post.description).toContain('0.05 USD');
  for (const word of ['16 KiB', '12,288', '120 requests a minute', 'not financial advice', 'same PAYMENT-SIGNATURE'])
    expect(document.info.description).toContain(word);
});

test('behavior: a free call is documented only where it exists', () => {
  for (const freeTrialGroups of [[], ['pretrade'], ['pretrade', 'quote']]) {
    const published = publishDocument(document, { baseUrl: 'https://truefill.test', freeTrialGroups }) as Json;
    for (const [path, { post }] of Object.entries<Json>(published.paths)) {
      const group = path === '/v1/quote' ? 'quote' : 'pretrade';
      const isFree = post?.['x-payment-info'] !== undefined && freeTrialGroups.includes(group);
      expect([path, JSON.stringify(post ?? {}).includes('of a wallet is free:')]).toEqual([path, isFree]);
    }
  }
});

// `tests/peers/clients` runs the generators. This test needs none.
test('no boolean schema, and no map beside listed fields: client generators reject or drop such members', () => {
  const maps = fields.filter(([, { properties, additionalProperties }]) => properties && additionalProperties?.type);
  expect(maps.map(([at]) => at)).toEqual([]);
  const { not } = document.components.schemas.QuoteRequest;
  expect(Object.values<Json>(not.properties).filter((schema) => typeof schema === 'boolean')).toEqual([]);
});
