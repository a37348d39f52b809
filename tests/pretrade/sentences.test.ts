import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer, PretradeChecker } from '../../engine/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { checkAll, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { findWrongSentences } from './findWrongSentences.ts';

let fixture: TestTokensOnBase;
let answers: Map<string, PretradeAnswer>;
beforeAll(async () => {
  fixture = await startTestTokens();
  answers = await checkAll(fixture, checkerOn(fixture.base).checker);
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
  expect(answer.reasons).toContainEqual(expect.stringMatching(/^In another token with the same code, the owner can /));
  expect(await findWrongSentences(fixture.base.rpcUrl, { truth: testToken.truth, answer, testToken })).toEqual([]);
});

async function check(checker: PretradeChecker, symbol: string) {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  if (!testToken) throw new TypeError(`${symbol} is not a test token.`);
  return { testToken, answer: await checker.check({ chain: 'base', token: testToken.address }) };
}

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
