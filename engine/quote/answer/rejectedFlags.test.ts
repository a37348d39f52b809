import { getAddress, type Hex, toFunctionSelector } from 'viem';
import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { deployments } from '../../venues/deployments/deployments.ts';
import { toCandidatePools } from '../../venues/families.ts';
import type { PoolStatus } from '../../venues/poolEntry.ts';
import type { PoolRef } from '../../venues/poolTypes.ts';
import type { Market } from '../market/market.ts';
import type { FailedPool } from '../plan/choosePlan.ts';
import { rejectedFlags } from './rejectedFlags.ts';

const candidatePool = toCandidatePools(deployments.base.venues).find(
  ({ venue }) => venue === 'aerodrome',
) as CandidatePool;
const addressOf = (number: number) => toLowerAddress(`0x${number.toString().padStart(39, '0')}c`);
const refOf = (number: number): PoolRef => ({ candidatePool, id: addressOf(number), token0: '0x01', token1: '0x02' });
const errorOf = (error: string) => toFunctionSelector(`function ${error}`);

/** A pool that failed in an execution with the error's selector. */
const failed = (number: number, reason: Hex, status: FailedPool['status'] = 'reverted'): FailedPool => ({
  ...{ ref: refOf(number), tokenIn: '0x01', tokenOut: '0x02', status, reason },
});

interface Case {
  failures?: FailedPool[];
  unread?: PoolStatus[];
  amountIn?: bigint;
  isPaused?: boolean;
}

function flagsIn({ failures = [], unread = [], amountIn = 1n, isPaused = false }: Case) {
  const states = { tokens: [{ supply: 5n }], unread: unread.map((status, at) => ({ ref: refOf(100 + at), status })) };
  const found = isPaused ? undefined : { failed: failures };
  return rejectedFlags({ states, size: { amountIn, surveyed: false }, found } as unknown as Market);
}
const poolsOf = (market: Case) => {
  const { pools } = flagsIn(market)[0]?.facts ?? {};
  return pools as { pool: Hex; reason: string }[] | undefined;
};

test.each<[string, Case]>([
  ['no pool failed', {}],
  ['transfers are paused', { isPaused: true }],
  ['a pool took only a part', { failures: [failed(1, '0x00000000', 'partial')] }],
  ['an execution ran out of gas', { failures: [failed(1, '0x00000000', 'out-of-gas')] }],
  ['a pool was not read', { unread: ['unread', 'empty'] }],
  ['no pool was tried', { unread: ['rejected'], amountIn: 0n }],
  ['the size is above the supply', { unread: ['rejected'], amountIn: 6n }],
])('no pool is reported as rejected if %s', (_, market) => {
  expect(flagsIn(market)).toEqual([]);
});

test('a pool without code is reported with its venue and checksummed address', () => {
  expect(flagsIn({ unread: ['rejected'] })).toEqual([
    {
      code: 'POOL_REJECTED',
      severity: 'info',
      message: '1 pool refused this swap when it was simulated, and cannot be used for it.',
      facts: {
        pools: [{ venue: 'aerodrome', pool: getAddress(addressOf(100)), reason: 'there is no code at its address' }],
      },
    },
  ]);
});

test.each([
  ['ReceivesTooMuch()', 'over 5 % more arrived than it reported as sent'],
  ['CannotPay()', 'no account could be funded with the size'],
  ['Error(string)', 'it reverted with a message, for example because a token transfer arrived short'],
])('the error %s of a pool is reported as a sentence', (error, reason) => {
  expect(poolsOf({ failures: [failed(1, errorOf(error))] })).toMatchObject([{ reason }]);
});

test.each([
  ['0x00000000', 'it reverted without a reason'],
  ['0x12345678', 'it reverted with 0x12345678'],
] as const)('an error %s that is not known is reported as its selector', (selector, reason) => {
  expect(poolsOf({ failures: [failed(1, selector)] })).toMatchObject([{ reason }]);
});

test('a token that reverts the transfer is not counted as a refusal of the pool', () => {
  const byToken = failed(1, errorOf('TransferFailed()'));
  const message = 'A token reverted the transfer to or from 1 pool in a simulation, so the route omits them.';
  expect(flagsIn({ failures: [byToken] })).toMatchObject([{ message }]);
  expect(poolsOf({ failures: [byToken] })).toMatchObject([{ reason: 'a token reverted the transfer' }]);
  expect(flagsIn({ failures: [byToken, failed(2, '0x00000000'), failed(3, '0x00000000')] })).toMatchObject([
    { message: `2 pools refused this swap when it was simulated, and cannot be used for it. ${message}` },
  ]);
});

test('eight pools are listed and all are counted, those of executions first', () => {
  const failures = Array.from({ length: 8 }, (_, at) => failed(at, '0x00000000'));
  const market: Case = { failures, unread: ['rejected'] };
  expect(poolsOf(market)?.map(({ pool }) => pool)).toEqual(failures.map(({ ref }) => getAddress(ref.id)));
  expect(flagsIn(market)[0]?.message).toMatch(/^9 pools refused/);
});
