import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { checkAll, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { type CheckedToken, describeAnswers } from './describeAnswers.ts';

let fixture: TestTokensOnBase;
let answers: Map<string, PretradeAnswer>;

beforeAll(async () => {
  fixture = await startTestTokens();
  answers = await checkAll(fixture, checkerOn(fixture.base).checker);
});
afterAll(() => fixture?.sandbox.close());

function find(symbol: string): CheckedToken {
  const testToken = fixture.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  const answer = answers.get(symbol);
  if (!testToken || !answer) throw new TypeError(`${symbol} is not a test token.`);
  return { testToken, truth: testToken.truth, answer };
}

describeAnswers(coreTokens, find);

test('default: each of at least 40 test tokens has the verdict of its ground truth', () => {
  expect(answers.size).toBeGreaterThanOrEqual(40);
  const verdicts = [...answers].map(([symbol, { verdict }]) => [symbol, verdict]);
  expect(verdicts).toEqual(coreTokens.map(({ symbol, truth }) => [symbol, truth.verdict]));
});
