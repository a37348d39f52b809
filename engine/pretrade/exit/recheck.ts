import type { Hex } from 'viem';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { type SlotStatus, slotStatuses } from '../../pools/slotStatus.ts';
import type { LensReading } from '../../quote/lensReading.ts';
import type { Slot } from '../../venues/slot.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { getters } from '../bytecode/signatures.ts';
import { decodeRecheck, toExitPool } from './decodeExit.ts';
import { type ExitMemory, gettersOf, largestFirst, type RecheckQuestion } from './encodeRecheck.ts';
import type { ExitPool, ExitReading, KnownPool } from './exitTypes.ts';
import { fromRouteAnswer } from './recheckRoutes.ts';
import { poolKey } from './splitListed.ts';

/** A venue whose factory logs no creations is asked again after this time, in milliseconds. */
const searchAgainMs = 300_000;
/** One call of the recheck lens measures no more. */
const maxPools = 24;

/**
 * Undefined where a reading cannot stand in for a search: something was unread, a factory denies a pool of its logs, or
 * worth depends on a second sale.
 */
export function rememberExit(
  exit: ExitReading,
  listed: readonly KnownPool[],
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

const toDigit = (status: SlotStatus) => slotStatuses.indexOf(status).toString(16);

/** Whether only pools from logs can have come since that reading. */
export const isRecent = (memory: ExitMemory, now: number, logsFrom: bigint): boolean =>
  now - memory.searchedAt < searchAgainMs && logsFrom <= memory.blockNumber + 1n;

/** Whether a pool from the logs is one of them. */
export const includesPool = ({ exits }: { exits: readonly ExitPool[] }, pool: KnownPool): boolean =>
  exits.some((exit) => poolKey(exit) === poolKey(pool));

/**
 * The reading in ExitLens's form, with slots, statuses and second hops from memory. `market` is undefined if no routes were
 * sent, or if the market must be searched again.
 * @throws {LensAnswerError}
 */
export function fromRecheck(
  { code, memory, routes }: RecheckQuestion,
  words: Hex,
  chain: { deployment: Deployment; slots: readonly Slot[] },
): { exit: ExitReading; market: LensReading | undefined } {
  const read = decodeRecheck(words);
  const asked = gettersOf(code);
  const order = largestFirst(memory.exits);
  if (read.sold.length !== memory.exits.length || read.start.getters.length !== asked.length) {
    throw new LensAnswerError('Another number of pools or getters than was asked for.');
  }
  const exits: ExitPool[] = [];
  for (const [place, sale] of read.sold.entries()) {
    const index = order[place] ?? place;
    const before = memory.exits[index];
    if (before) exits[index] = restorePool(toExitPool(before, sale), before);
  }
  const bySelector = new Map(asked.map(({ selector }, index) => [selector, read.start.getters[index]]));
  const pairs = memory.pairs.map(({ counter, statuses }) => ({
    counter,
    statuses: [...statuses].map((digit) => slotStatuses[Number.parseInt(digit, 16)] ?? 'unread'),
  }));
  const exit: ExitReading = {
    ...read.start,
    exits,
    getters: getters.map(({ selector }) => bySelector.get(selector) ?? { ok: false, word: 0n }),
    pairs,
    hops: [...memory.hops],
  };
  return { exit, market: routes && fromRouteAnswer(routes, read.routes, exit, chain) };
}

/** A pair whose counter-asset reported no balances in the search keeps its status and pays nothing. */
function restorePool(exit: ExitPool, before: ExitPool): ExitPool {
  const paidNothing = before.most === 0n && (before.status === 'rejected' || before.status === 'empty');
  if (before.slot !== undefined || exit.status !== 'unread' || !paidNothing) return exit;
  return { ...exit, status: before.status, most: 0n };
}
