import type { Hex } from 'viem';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { type PoolStatus, poolStatuses } from '../../venues/poolEntry.ts';
import { getters } from '../bytecode/signatures.ts';
import { decodeRecheck, toExitPool } from './decodeExit.ts';
import { type ExitMemory, gettersOf, largestFirst, type RecheckQuery } from './encodeRecheck.ts';
import type { ExitPool, ExitReading, LoggedPool } from './exitTypes.ts';
import { poolKey } from './splitListed.ts';

/** Time after which every factory is queried again, in milliseconds: some factories log no creations. */
const searchAgainMs = 300_000;
/** Maximum number of pools that one call of the recheck lens measures. */
const maxPools = 24;

/**
 * Remembers the pools of a reading for rechecks. Undefined if a recheck could miss something: a pool was unread, a factory
 * denies a pool from its logs, or the value depends on a second hop.
 */
export function rememberExit(
  exit: ExitReading,
  listed: readonly LoggedPool[],
  searchedAt: number,
): ExitMemory | undefined {
  const { blockNumber, exits, hops, pairs } = exit;
  const bases = new Set(exit.bases.map(({ token }) => token));
  const isBase = ({ counter }: ExitPool) => bases.has(counter);
  const needsHop = hops.some(({ exit: index, received }) => received > 0n && exits[index] && !isBase(exits[index]));
  const unread =
    pairs.some(({ statuses }) => statuses.includes('unread')) || exits.some(({ status }) => status === 'unread');
  const denied = listed.some((pool) => !includesPool(exit, pool));
  if (exits.length === 0 || exits.length > maxPools || needsHop || unread || denied) return undefined;
  const packed = pairs.map(({ counter, statuses }) => ({ counter, statuses: statuses.map(toDigit).join('') }));
  return { blockNumber, searchedAt, pairs: packed, exits, hops };
}

const toDigit = (status: PoolStatus) => poolStatuses.indexOf(status).toString(16);

/** Whether every factory was queried recently, and logs from block `logsFrom` contain all pools created since. */
export const isRecent = (memory: ExitMemory, now: number, logsFrom: bigint): boolean =>
  now - memory.searchedAt < searchAgainMs && logsFrom <= memory.blockNumber + 1n;

/** Whether a reading contains a pool from logs. */
export const includesPool = ({ exits }: { exits: readonly ExitPool[] }, pool: LoggedPool): boolean =>
  exits.some((exit) => poolKey(exit) === poolKey(pool));

/**
 * Decodes a recheck in ExitLens's form, with candidate pools, statuses and second hops from memory.
 * @throws {LensAnswerError}
 */
export function fromRecheck({ code, memory }: RecheckQuery, words: Hex): ExitReading {
  const read = decodeRecheck(words);
  const requested = gettersOf(code);
  const order = largestFirst(memory.exits);
  if (read.sold.length !== memory.exits.length || read.start.getters.length !== requested.length) {
    throw new LensAnswerError('The answer has another number of pools or getters than the query.');
  }
  const exits: ExitPool[] = [];
  for (const [position, sale] of read.sold.entries()) {
    const index = order[position] ?? position;
    const before = memory.exits[index];
    if (before) exits[index] = restorePool(toExitPool(before, sale), before);
  }
  const bySelector = new Map(requested.map(({ selector }, index) => [selector, read.start.getters[index]]));
  const pairs = memory.pairs.map(({ counter, statuses }) => ({
    counter,
    statuses: [...statuses].map((digit) => poolStatuses[Number.parseInt(digit, 16)] ?? 'unread'),
  }));
  return {
    ...read.start,
    exits,
    getters: getters.map(({ selector }) => bySelector.get(selector) ?? { ok: false, word: 0n }),
    pairs,
    hops: [...memory.hops],
  };
}

/** Keeps the status of `resolveUnreadPairs` (`reads/addExit.ts`) for a pair that is unread again: it pays nothing. */
function restorePool(exit: ExitPool, before: ExitPool): ExitPool {
  const paidNothing = before.most === 0n && (before.status === 'rejected' || before.status === 'empty');
  if (before.candidatePool !== undefined || exit.status !== 'unread' || !paidNothing) return exit;
  return { ...exit, status: before.status, most: 0n };
}
