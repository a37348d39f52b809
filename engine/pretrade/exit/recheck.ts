import type { Address, Hex } from 'viem';
import { type SlotStatus, slotStatuses } from '../../quote/lensReading.ts';
import { LensAnswerError } from '../../quote/wordReader.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import { getters } from '../bytecode/signatures.ts';
import { encodeWords, toWord } from '../simulation/words.ts';
import { decodeRecheck } from './decodeExit.ts';
import type { ExitPool, ExitReading, KnownPool } from './exitTypes.ts';

/** `recheck(Recheck)` of RecheckLens.sol. */
export const recheckSelector = '0xaf727f40';

/**
 * The pools of an earlier reading. Factories' logs show which pools came since, so the factories themselves are not asked
 * again for a while.
 */
export interface ExitMemory {
  blockNumber: bigint;
  /** When every factory was asked, in milliseconds. */
  searchedAt: number;
  /** Statuses of slots as one character each. */
  pairs: readonly { counter: Address; statuses: string }[];
  exits: readonly ExitPool[];
  hops: ExitReading['hops'];
}

/** A venue whose factory logs no creations is asked again after this time, in milliseconds. */
const searchAgainMs = 300_000;
/** One call of the recheck lens measures no more. */
const mostPools = 24;

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
  const bases = new Set(exit.bases.map(({ token }) => token.toLowerCase()));
  const isBase = ({ counter }: ExitPool) => bases.has(counter.toLowerCase());
  const needsHop = hops.some(({ exit: index, received }) => received > 0n && exits[index] && !isBase(exits[index]));
  const unread =
    pairs.some(({ statuses }) => statuses.includes('unread')) || exits.some(({ status }) => status === 'unread');
  const denied = listed.some((pool) => !includesPool(exit, pool));
  if (exits.length === 0 || exits.length > mostPools || needsHop || unread || denied) return undefined;
  const packed = pairs.map(({ counter, statuses }) => ({ counter, statuses: statuses.map(toDigit).join('') }));
  return { blockNumber, searchedAt, pairs: packed, exits, hops };
}

const toDigit = (status: SlotStatus) => slotStatuses.indexOf(status).toString(16);

/** Whether only pools from logs can have come since that reading. */
export const isRecent = (memory: ExitMemory, now: number, logsFrom: bigint): boolean =>
  now - memory.searchedAt < searchAgainMs && logsFrom <= memory.blockNumber + 1n;

/** Whether a pool from the logs is one of them. */
export const includesPool = ({ exits }: { exits: readonly ExitPool[] }, pool: KnownPool): boolean =>
  exits.some((exit) => keyOf(exit) === keyOf(pool));

/** Kinds of pairs differ by who names them; their address does not. */
function keyOf({ kind, pool, counter, fee, tickSpacing, hooks }: Omit<KnownPool, 'venue'>): string {
  return (kind < kinds.v4 ? pool : [kind, counter, fee, tickSpacing, hooks].join('|')).toLowerCase();
}

/** Getters that can say something: of analysed code those that are in it. */
const gettersOf = ({ functions }: CodeFacts) => {
  const selectors = functions && new Set(functions.map(({ selector }) => selector));
  return selectors ? getters.filter(({ selector }) => selectors.has(selector)) : getters;
};

export interface RecheckQuestion {
  token: Address;
  code: CodeFacts;
  memory: ExitMemory;
  holders: readonly Address[];
}

/** @param salt new for every call and unknown in advance */
export function encodeRecheck(
  { token, code, memory, holders }: RecheckQuestion,
  { wrappedNative, sequencerFeed = noHooks, pricingAssets, feeds }: Deployment,
  salt: bigint,
): Hex {
  const lists: (bigint | string)[][] = [
    pricingAssets.flatMap(({ address }) => [address, feeds[address.toLowerCase()]?.address ?? noHooks]),
    memory.exits.flatMap(({ kind, pool, counter, fee, tickSpacing, hooks }) => [
      ...[BigInt(kind), pool, counter],
      ...[BigInt(fee), BigInt(tickSpacing), hooks],
    ]),
    [...holders],
    gettersOf(code).map(({ selector }) => BigInt(selector) << 224n),
  ];
  const lengths = [pricingAssets.length, memory.exits.length, holders.length, lists[3]?.length ?? 0];
  const offsets: bigint[] = [];
  let at = 8n * 32n;
  for (const list of lists) {
    offsets.push(at);
    at += 32n * BigInt(1 + list.length);
  }
  const head = [32n, token, wrappedNative, sequencerFeed, ...offsets, salt];
  const tail = lists.map((list, index) => [BigInt(lengths[index] ?? 0), ...list].map(toWord).join(''));
  return `${encodeWords(recheckSelector, head)}${tail.join('')}`;
}

/**
 * A reading as the exit lens returns it, with slots, statuses and second hops from memory.
 * @throws {LensAnswerError}
 */
export function fromRecheck({ code, memory }: RecheckQuestion, words: Hex): ExitReading {
  const read = decodeRecheck(words);
  const asked = gettersOf(code);
  if (read.exits.length !== memory.exits.length || read.getters.length !== asked.length) {
    throw new LensAnswerError('Another number of pools or getters than was asked for.');
  }
  const exits = read.exits.map((exit, index) => ({ ...exit, slot: memory.exits[index]?.slot }));
  const bySelector = new Map(asked.map(({ selector }, index) => [selector, read.getters[index]]));
  const pairs = memory.pairs.map(({ counter, statuses }) => ({
    counter,
    statuses: [...statuses].map((digit) => slotStatuses[Number.parseInt(digit, 16)] ?? 'unread'),
  }));
  return {
    ...read,
    exits,
    getters: getters.map(({ selector }) => bySelector.get(selector) ?? { ok: false, word: 0n }),
    pairs,
    hops: [...memory.hops],
  };
}
