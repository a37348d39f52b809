import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkerOn, startZoo, type ZooOnBase } from './checkOn.ts';

let world: ZooOnBase;

beforeAll(async () => {
  world = await startZoo();
});
afterAll(() => world?.sandbox.close());

function addressOf(symbol: string): Address {
  const found = [...world.zoo.animals, ...world.base.tokens].find((token) => token.symbol === symbol);
  if (!found) throw new TypeError(`There is no ${symbol}.`);
  return found.address;
}

test('behavior: trades are of the size of this question, whatever size was asked about before', async () => {
  const { checker } = checkerOn(world.base);
  const token = addressOf('MAXSALE');
  const outcomes: string[] = [];
  for (const sizeUsd of ['1', '1000', '1', '1000']) {
    const { risk_profile } = await checker.check({ chain: 'base', token, sizeUsd });
    outcomes.push(risk_profile.transferability.outcome);
  }
  expect(outcomes).toEqual(['tradable', 'size-limited', 'tradable', 'size-limited']);
});
