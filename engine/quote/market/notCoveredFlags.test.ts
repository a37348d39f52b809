import { getAddress } from 'viem';
import { expect, test } from 'vitest';
import { poolOf, testTokens } from '../../../tests/support/engine/testMarket.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import { type NotCovered, notCoveredFlags } from './notCovered.ts';

const { LT, USDC } = testTokens;
const holder = toLowerAddress(`0x${'f1'.repeat(20)}`);
const { ref } = poolOf({ kind: 'opaque', reason: 'hook' }, LT, USDC);
type Listed = NotCovered['largest'][number];

const listed = (holding: Partial<Listed['holding']> = {}): Listed => ({
  holding: { venue: 'vault', token: LT.address, holder, amount: 1_234_567n, blockNumber: 7n, ...holding },
  decimals: 3,
});
const flagOf = (largest: Listed[], count = largest.length, unread: readonly string[] = []) =>
  notCoveredFlags({ largest, count, share: 1, unread });

test('a holding of a venue is named with its amount in whole tokens, to four digits', () => {
  const [flag] = flagOf([listed()]);
  expect(flag?.message).toBe(
    `This service cannot quote vault, which holds 1235 of ${getAddress(LT.address)}. A better price there is possible.`,
  );
  expect(flag?.facts).toEqual({
    pools: [{ venue: 'vault', token: getAddress(LT.address), holds: '1234567', blockNumber: '7' }],
    count: 1,
    unread: [],
  });
});

test('a pool of a factory is named with its address', () => {
  const [flag] = flagOf([listed({ contract: holder })]);
  expect(flag?.message).toContain(`cannot quote vault pool ${getAddress(holder)}, which holds 1235 of`);
  expect(flag?.facts).toMatchObject({ pools: [{ pool: getAddress(holder) }] });
});

test('a pool with a hook is named with its id and its hook, and holds at least the amount', () => {
  const hooks = toLowerAddress(`0x${'cc'.repeat(20)}`);
  const pool: PoolRef = { ...ref, id: '0x0a', candidatePool: { ...ref.candidatePool, hooks } };
  const [flag] = flagOf([listed({ pool })]);
  expect(flag?.message).toContain(`vault pool 0x0a with the hook ${getAddress(hooks)}, which holds at least 1235 of`);
  expect(flag?.facts).toMatchObject({ pools: [{ pool: '0x0a', hooks: getAddress(hooks) }] });
});

test('holdings that are not listed are counted', () => {
  const two = [listed(), listed({ venue: 'other' })];
  expect(flagOf(two)[0]?.message).not.toContain('more');
  expect(flagOf(two, 5)[0]?.message).toContain(' and 3 more. A better price');
});

test('a venue that was not read is named alone, and two of them in the plural', () => {
  expect(flagOf([], 0, ['curve'])[0]?.message).toBe(
    'Could not read what curve holds, which this service cannot quote.',
  );
  expect(flagOf([], 0, ['curve', 'vault'])[0]?.message).toBe(
    'Could not read what curve, vault hold, which this service cannot quote.',
  );
});

test('one holding and one venue that was not read are both in the message', () => {
  const [flag] = flagOf([listed()], 1, ['curve']);
  expect(flag?.message).toContain('is possible. Could not read what curve holds');
});
