import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { checkAll, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { findWrongSentences } from './sentenceTemplates.ts';

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
