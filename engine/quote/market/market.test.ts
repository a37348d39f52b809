import { expect, test } from 'vitest';
import { testNode } from '../../../tests/support/engine/testNode.ts';
import { NodeRefusedError } from '../../chain/node.ts';
import type { StateReading } from '../../pools/decodeStates.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { OrderSize } from '../query/sizeOrder.ts';
import { assertRead, isBeyondSupply, isTried, type Market } from './market.ts';

const marketOf = (amountIn: bigint, supply: bigint | undefined, surveyed = false) => ({
  states: { tokens: supply === undefined ? [] : [{ supply }] } as unknown as StateReading,
  size: { amountIn, surveyed } as OrderSize,
});

test('a size exceeds the supply from one base unit above it, if the supply was read', () => {
  expect(isBeyondSupply(marketOf(101n, 100n))).toBe(true);
  expect(isBeyondSupply(marketOf(100n, 100n))).toBe(false);
  expect(isBeyondSupply(marketOf(101n, 0n))).toBe(false);
  expect(isBeyondSupply(marketOf(1n, undefined))).toBe(false);
});

test('pools are tried for a sale within the supply, and to price a size in USD', () => {
  expect(isTried(marketOf(1n, 100n))).toBe(true);
  expect(isTried(marketOf(0n, 100n))).toBe(false);
  expect(isTried(marketOf(0n, 100n, true))).toBe(true);
  expect(isTried(marketOf(101n, 100n))).toBe(false);
  expect(isTried(marketOf(101n, 100n, true))).toBe(false);
});

const deployment = deployments.base;
const [weth, usdc] = [deployment.wrappedNative, deployment.usdc];
const token = `0x${'9'.repeat(40)}` as const;
const node = testNode({ chain: 'base', send: async () => [] });

/** A market without a route: the statuses of a token's pools, and of the pools between two routing assets. */
const market = (own: PoolStatus, listed: PoolStatus, best?: object) =>
  ({
    size: { amountIn: 1n },
    found: { best },
    states: {
      tokens: [],
      pairs: [
        { a: token, b: usdc, statuses: [own, 'no-factory'] },
        { a: weth, b: usdc, statuses: [listed, 'not-requested'] },
      ],
    },
  }) as unknown as Market;

test('a node that read no pool, not even between routing assets, has not answered', () => {
  expect(() => assertRead(market('unread', 'unread'), deployment, node)).toThrow(NodeRefusedError);
});

test('a token that makes its own pools unread still gets its answer', () => {
  const answer = market('unread', 'no-pool');
  expect(assertRead(answer, deployment, node)).toBe(answer);
});

test('a market with a route was read', () => {
  const answer = market('unread', 'unread', {});
  expect(assertRead(answer, deployment, node)).toBe(answer);
});

/** The same market with other statuses of the two pairs. */
const withPairs = (
  own: readonly PoolStatus[],
  listed: readonly PoolStatus[],
  assets: readonly string[] = [weth, usdc],
) => {
  const { size, found, states } = market('unread', 'unread');
  const pairs = [
    { a: token, b: usdc, statuses: own },
    { a: assets[0], b: assets[1], statuses: listed },
  ];
  return { size, found, states: { ...states, pairs } } as unknown as Market;
};

test.each<[string, Market]>([
  ['a pool was read beside unread ones', withPairs(['unread'], ['unread', 'filled'])],
  ['no pool was requested', withPairs(['unread'], ['not-requested', 'no-factory'])],
  ['there is no pair of routing assets', withPairs(['unread'], ['unread'], [token, usdc])],
  ['there is no pair', { ...market('unread', 'unread'), states: { tokens: [], pairs: [] } } as unknown as Market],
  ['nothing is sold', { ...market('unread', 'unread'), size: { amountIn: 0n } } as unknown as Market],
])('a market was read if %s', (_name, answer) => {
  expect(assertRead(answer, deployment, node)).toBe(answer);
});

test('a market that was not searched and read no pool was not read', () => {
  const unsearched = { ...market('unread', 'unread'), found: undefined };
  expect(() => assertRead(unsearched, deployment, node)).toThrow(NodeRefusedError);
});
