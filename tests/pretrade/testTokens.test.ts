import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { coreTokens } from '../../sandbox/testTokens/coreTokens.ts';
import { checkAll, checkerOn, startTestTokens, type TestTokensOnBase } from './checkOn.ts';
import { describeAnswers, type Looked } from './describeAnswers.ts';

let world: TestTokensOnBase;
let answers: Map<string, PretradeAnswer>;

beforeAll(async () => {
  world = await startTestTokens();
  answers = await checkAll(world, checkerOn(world.base).checker);
});
afterAll(() => world?.sandbox.close());

function look(symbol: string): Looked {
  const testToken = world.testTokens.tokens.find((candidate) => candidate.symbol === symbol);
  const answer = answers.get(symbol);
  if (!testToken || !answer) throw new TypeError(`${symbol} is not a test token.`);
  return { testToken, truth: testToken.truth, answer };
}

describeAnswers(coreTokens, look);

test('default: the test tokens is as large as promised, and no trap and no honest token is missing from it', () => {
  expect(answers.size).toBeGreaterThanOrEqual(40);
  const verdicts = [...answers].map(([symbol, { verdict }]) => [symbol, verdict]);
  expect(verdicts).toEqual(coreTokens.map(({ symbol, truth }) => [symbol, truth.verdict]));
});
