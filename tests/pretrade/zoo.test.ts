import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../engine/index.ts';
import { zooTokens } from '../../sandbox/zoo/zooTokens.ts';
import { checkAll, checkerOn, startZoo, type ZooOnBase } from './checkOn.ts';
import { describeAnswers, type Looked } from './describeAnswers.ts';

let world: ZooOnBase;
let answers: Map<string, PretradeAnswer>;

beforeAll(async () => {
  world = await startZoo();
  answers = await checkAll(world, checkerOn(world.base).checker);
});
afterAll(() => world?.sandbox.close());

function look(symbol: string): Looked {
  const testToken = world.zoo.testTokens.find((candidate) => candidate.symbol === symbol);
  const answer = answers.get(symbol);
  if (!testToken || !answer) throw new TypeError(`${symbol} is not in the zoo.`);
  return { testToken, truth: testToken.truth, answer };
}

describeAnswers(zooTokens, look);

test('default: the zoo is as large as promised, and no trap and no honest token is missing from it', () => {
  expect(answers.size).toBeGreaterThanOrEqual(40);
  const verdicts = [...answers].map(([symbol, { verdict }]) => [symbol, verdict]);
  expect(verdicts).toEqual(zooTokens.map(({ symbol, truth }) => [symbol, truth.verdict]));
});
