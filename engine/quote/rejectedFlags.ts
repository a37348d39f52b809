import { getAddress, toFunctionSelector } from 'viem';
import type { CandidatePool } from '../venues/candidatePool.ts';
import type { LensReading } from './lensReading.ts';
import type { Flag } from './quoteTypes.ts';

/** Messages for the errors of the lenses; a pool's own error is reported as its selector. */
const reasons = new Map(
  Object.entries({
    'NoCode()': 'there is no code at its address',
    'TransferFailed()': 'a token reverted the transfer',
    'ChargesTooMuch()': 'it charged more than the size',
    'ReceivesTooMuch()': 'over 5 % more arrived than it reported as sent',
    'SendsNothing()': 'nothing arrived of the amount that it reported as sent',
    'HookLeavesDebt()': 'its hook left a debt unpaid',
    'CannotPay()': 'no account could be funded with the size',
    'TooLarge()': 'the size is above its largest amount',
    'WrongCallbackData()': 'its callback data is not the data that it received',
    'Error(string)': 'it reverted with a message, for example because a token transfer arrived short',
  }).map(([error, words]) => [toFunctionSelector(`function ${error}`), words]),
);

/** Reason of a pool without code. */
export const noCode = toFunctionSelector('function NoCode()');

const maxListed = 8;

/** Existing pools that rejected this swap. A rejection is a measurement, not an outage. */
export function rejectedFlags({ pools }: LensReading, candidatePools: readonly CandidatePool[]): Flag[] {
  const rejected = [...pools.values()].filter(({ status }) => status === 'rejected');
  if (rejected.length === 0) return [];
  const listed = rejected.slice(0, maxListed).map(({ candidatePool, pool, reason }) => ({
    venue: candidatePools[candidatePool]?.venue,
    pool: pool.length === 42 ? getAddress(pool) : pool,
    reason:
      reasons.get(reason) ?? (BigInt(reason) === 0n ? 'it reverted without a reason' : `it reverted with ${reason}`),
  }));
  const subject = rejected.length === 1 ? '1 pool' : `${rejected.length} pools`;
  const message = `${subject} refused this swap when it was simulated, and cannot be used for it.`;
  return [{ code: 'POOL_REJECTED', severity: 'info', message, facts: { pools: listed } }];
}
