import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkAll, checkerOn, checkerOver, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { explorerVendors } from './explorerVendors.ts';
import {
  findUnusedTemplates,
  findWrongSentences,
  templatesOfVariants,
  unreachedTemplates,
} from './findWrongSentences.ts';

let fixture: TestTokensOnBase;
let answers: Map<string, PretradeAnswer>;
let first: PretradeChecker;
/** Answers of other checks than first ones without vendors. */
const further: PretradeAnswer[] = [];
beforeAll(async () => {
  fixture = await startTestTokens();
  first = checkerOn(fixture.base).checker;
  answers = await checkAll(fixture, first);
});
afterAll(() => fixture?.sandbox.close());

test.each(coreTokens.map(({ symbol }) => [symbol]))(
  'every sentence about %s has a template and is true',
  async (symbol) => {
    const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
    const answer = answers.get(symbol);
    if (!testToken || !answer) throw new TypeError(`${symbol} is not a test token.`);
    expect(await findWrongSentences(fixture.base.rpcUrl, { truth: testToken.truth, answer, testToken })).toEqual([]);
  },
);

test('every sentence about a token that cannot be traded is true after a check of a token with the same code', async () => {
  const { checker } = checkerOn(fixture.base);
  await check(checker, 'OPENED');
  const { testToken, answer } = await check(checker, 'UNOPENED');
  further.push(answer);
  expect(answer.reasons).toContainEqual(expect.stringMatching(/^In another token with the same code, the owner can /));
  expect(await findWrongSentences(fixture.base.rpcUrl, { truth: testToken.truth, answer, testToken })).toEqual([]);
});

async function check(checker: PretradeChecker, symbol: string) {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return { testToken, answer: await checker.check({ chain: 'base', token: testToken.address }) };
}

test('every sentence of a repeat, and of a check with vendors, is true', async () => {
  await createNodeClient(fixture.base.rpcUrl).call('anvil_mine', ['0x3']);
  const repeat = await check(first, 'MINT');
  const withVendors = await check(
    checkerOver(fixture.base, loopbackEndpoint(fixture.base.rpcUrl), {
      vendors: explorerVendors([fixture.testTokens.deployer], 2 / 24),
    }),
    'THIN',
  );
  expect(repeat.answer.reasons.length + withVendors.answer.reasons.length).toBeGreaterThan(2);
  for (const checked of [repeat, withVendors]) {
    further.push(checked.answer);
    expect(await findWrongSentences(fixture.base.rpcUrl, { ...checked, truth: checked.testToken.truth })).toEqual([]);
  }
});

test('these answers reach every template, except for those that only the variants or no test token reaches', () => {
  const unused = findUnusedTemplates([...answers.values(), ...further]);
  expect(unused.sort()).toEqual([...templatesOfVariants, ...unreachedTemplates].sort());
});

const stringsOf = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
};

test('no text of an answer has a doubled full stop, a Panic selector or a number in exponents', () => {
  for (const [symbol, answer] of answers) {
    const { identity: _, ...rest } = answer;
    for (const text of stringsOf(rest)) {
      expect([symbol, text]).toEqual([symbol, expect.not.stringMatching(/\.\.|NH\{q|\de\+\d/)]);
    }
  }
});
