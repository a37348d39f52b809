import type { Hex } from 'viem';
import { toBytes } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isSingleton, noHooks } from '../../venues/kinds.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import { getters } from '../bytecode/signatures.ts';
import type { ExitPool, ExitReading, PoolFields } from './exitTypes.ts';

/**
 * The pools of an earlier reading. The factories' logs contain the pools created since, so for some minutes no factory is
 * queried again.
 */
export interface ExitMemory {
  blockNumber: bigint;
  /** When every factory was last queried, in milliseconds since the epoch. */
  searchedAt: number;
  /** `statuses`: one hexadecimal digit for each candidate pool, its index in `poolStatuses`. */
  pairs: readonly { counter: LowerAddress; statuses: string }[];
  exits: readonly ExitPool[];
  hops: ExitReading['hops'];
}

export interface RecheckQuery {
  token: LowerAddress;
  code: CodeFacts;
  memory: ExitMemory;
  holders: readonly LowerAddress[];
}

/** `recheck()` of RecheckLens.sol. The packed query follows it. */
export const recheckSelector = '0xe666f622';

/** Getters to read. For analysed code, only those that the code contains. */
export const gettersOf = ({ functions }: CodeFacts) => {
  const selectors = functions && new Set(functions.map(({ selector }) => selector));
  return selectors ? getters.filter(({ selector }) => selectors.has(selector)) : getters;
};

/**
 * Indices of the pools, by the amount of the token that their last sale took. If the gas runs out, the smallest are unread.
 */
export const largestFirst = (exits: readonly ExitPool[]): number[] =>
  exits.map((_, index) => index).sort((a, b) => ((exits[a]?.used ?? 0n) < (exits[b]?.used ?? 0n) ? 1 : -1));

/**
 * @param salt new for every call and unpredictable for tokens
 * @returns the calldata; `isPlain`: it contains no pool of a singleton, so PlainRecheckLens can run it
 */
export function encodeRecheck(
  { token, code, memory, holders }: RecheckQuery,
  { deployment }: { deployment: Deployment },
  salt: bigint,
): { data: Hex; isPlain: boolean } {
  const { wrappedNative, sequencerFeed = noHooks, pricingAssets, feeds } = deployment;
  const known = largestFirst(memory.exits).flatMap((index) => memory.exits[index] ?? []);
  const parts = [
    [token, wrappedNative, sequencerFeed].map(toDigits).join(''),
    toBytes(BigInt.asUintN(128, salt), 16),
    toList(gettersOf(code).map(({ selector }) => selector.slice(2))),
    toList(holders.map(toDigits)),
    toList(pricingAssets.map(({ address }) => `${toDigits(address)}${toDigits(feeds[address]?.address ?? noHooks)}`)),
    toList(known.map(toPoolBytes)),
  ];
  const isPlain = known.every(({ kind }) => !isSingleton(kind));
  return { data: `${recheckSelector}${parts.join('')}`, isPlain };
}

const toDigits = (address: LowerAddress): string => address.slice(2);

const toList = (entries: readonly string[]): string => `${toBytes(BigInt(entries.length), 1)}${entries.join('')}`;

/** `_nextLeg` of RecheckLens.sol. */
function toPoolBytes({ kind, pool, counter, fee, tickSpacing, hooks }: PoolFields): string {
  const shape = [
    toBytes(BigInt(kind), 1),
    toBytes(BigInt(fee), 3),
    toBytes(BigInt.asUintN(24, BigInt(tickSpacing)), 3),
  ];
  return [...shape, toDigits(pool), toDigits(counter), isSingleton(kind) ? toDigits(hooks) : ''].join('');
}
