import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { publishDocument } from '../../router/index.ts';

// Published linters: redocly's recommended-strict, in which warnings are errors, and all rules of spectral's OpenAPI set.

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`);
}

async function spectral(source: string): Promise<string[]> {
  const linter = new Spectral();
  // The types of the two packages are incompatible.
  linter.setRuleset({ extends: [[oas as unknown as RulesetDefinition, 'all']] });
  const problems = await linter.run(JSON.parse(source));
  return problems.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`);
}

const published = JSON.stringify(
  publishDocument(JSON.parse(text), {
    baseUrl: 'http://127.0.0.1:4020',
    contactEmail: 'ops@truefill.test',
    freeTrialGroups: ['pretrade'],
  }),
);

test('default: redocly reports no problem with recommended-strict', async () => {
  expect(await redocly(text)).toEqual([]);
  expect(await redocly(published)).toEqual([]);
});

test('default: spectral reports no problem with all rules', async () => {
  expect(await spectral(text)).toEqual([]);
  expect(await spectral(published)).toEqual([]);
});

test('error: both linters report a document without an operationId', async () => {
  const document = JSON.parse(text);
  delete document.paths['/v1/quote'].post.operationId;
  document.paths['/v1/quote'].post.responses['200'].content['application/json'].example = { chain: 7 };
  const damaged = JSON.stringify(document);
  expect((await redocly(damaged)).join('\n')).toContain('operation-operationId');
  expect((await spectral(damaged)).join('\n')).toContain('operation-operationId');
});
