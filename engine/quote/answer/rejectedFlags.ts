import { toFunctionSelector } from 'viem';
import { addressesOf } from '../../pools/contractOf.ts';
import { isTried, type Market } from '../market/market.ts';
import type { Flag } from '../quoteTypes.ts';
import { checksummed } from './route.ts';

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

const transferFailed = toFunctionSelector('function TransferFailed()');

/** The state lens rejects only pools without code. */
const noCode = toFunctionSelector('function NoCode()');

const maxListed = 8;

/** Existing pools that rejected this swap. A rejection is a measurement, not an outage. */
export function rejectedFlags(market: Pick<Market, 'states' | 'size' | 'found'>): Flag[] {
  const { states, found } = market;
  const withoutCode = isTried(market) ? states.unread.filter(({ status }) => status === 'rejected') : [];
  const rejected = [
    ...(found?.failed ?? []).filter(({ status }) => status === 'reverted'),
    ...withoutCode.map(({ ref }) => ({ ref, reason: noCode })),
  ];
  if (rejected.length === 0) return [];
  const listed = rejected.slice(0, maxListed).map(({ ref, reason }) => ({
    venue: ref.candidatePool.venue,
    pool: checksummed(addressesOf(ref).publicId(ref)),
    reason:
      reasons.get(reason) ?? (BigInt(reason) === 0n ? 'it reverted without a reason' : `it reverted with ${reason}`),
  }));
  // A token can refuse a second transfer from one sender, which is no fault of the pool.
  const byToken = rejected.filter(({ reason }) => reason === transferFailed).length;
  const byPool = rejected.length - byToken;
  const message = [
    byPool > 0 && `${toPools(byPool)} refused this swap when it was simulated, and cannot be used for it.`,
    byToken > 0 &&
      `A token reverted the transfer to or from ${toPools(byToken)} in a simulation, so the route omits them.`,
  ];
  return [
    { code: 'POOL_REJECTED', severity: 'info', message: message.filter(Boolean).join(' '), facts: { pools: listed } },
  ];
}

const toPools = (count: number) => (count === 1 ? '1 pool' : `${count} pools`);
