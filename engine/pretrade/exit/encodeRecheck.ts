import type { Hex } from 'viem';
import { toBytes } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { LensReading } from '../../quote/lensReading.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { isSingleton, noHooks } from '../../venues/kinds.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import { getters } from '../bytecode/signatures.ts';
import type { ExitPool, ExitReading, LoggedPool } from './exitTypes.ts';
import { type RouteQuery, toRouteQuery } from './recheckRoutes.ts';

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
  /** The market of the last check; undefined: the market must be searched. */
  routes: LensReading | undefined;
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

const noRoutes: RouteQuery = { pools: [], routes: [], sizes: [] };

/**
 * @param salt new for every call and unpredictable for tokens
 * @returns the calldata; `isPlain`: it contains no pool of a singleton, so PlainRecheckLens can run it
 */
export function encodeRecheck(
  { token, code, memory, holders, routes }: RecheckQuery,
  { deployment, candidatePools }: { deployment: Deployment; candidatePools: readonly CandidatePool[] },
  salt: bigint,
): { data: Hex; isPlain: boolean } {
  const { wrappedNative, sequencerFeed = noHooks, pricingAssets, feeds } = deployment;
  const { pools, ...sales } = routes ? toRouteQuery(routes, candidatePools) : noRoutes;
  const known = largestFirst(memory.exits).flatMap((index) => memory.exits[index] ?? []);
  const parts = [
    [token, wrappedNative, sequencerFeed].map(toDigits).join(''),
    toBytes(BigInt.asUintN(128, salt), 16),
    toList(gettersOf(code).map(({ selector }) => selector.slice(2))),
    toList(holders.map(toDigits)),
    toList(pricingAssets.map(({ address }) => `${toDigits(address)}${toDigits(feeds[address]?.address ?? noHooks)}`)),
    toList(known.map(toPoolBytes)),
    toList(pools.map(({ pool, tokenIn, amount }) => `${toDigits(tokenIn)}${toBytes(amount, 32)}${toPoolBytes(pool)}`)),
    toBytes(
      sales.sizes.reduce((sum, size) => sum + BigInt(size.routes), 0n),
      1,
    ),
    toList(sales.routes.map(([first = 0, second = -1]) => toBytes(BigInt(first), 1) + toBytes(BigInt(second + 1), 1))),
    sales.sizes.map(({ amount, routes }) => toBytes(BigInt(routes), 1) + toBytes(amount, 16)).join(''),
  ];
  const isPlain = [...known, ...pools.map(({ pool }) => pool)].every(({ kind }) => !isSingleton(kind));
  return { data: `${recheckSelector}${parts.join('')}`, isPlain };
}

const toDigits = (address: LowerAddress): string => address.slice(2);

const toList = (entries: readonly string[]): string => `${toBytes(BigInt(entries.length), 1)}${entries.join('')}`;

/** `_nextLeg` of RecheckLens.sol. */
function toPoolBytes({ kind, pool, counter, fee, tickSpacing, hooks }: Omit<LoggedPool, 'venue'>): string {
  const shape = [
    toBytes(BigInt(kind), 1),
    toBytes(BigInt(fee), 3),
    toBytes(BigInt.asUintN(24, BigInt(tickSpacing)), 3),
  ];
  return [...shape, toDigits(pool), toDigits(counter), isSingleton(kind) ? toDigits(hooks) : ''].join('');
}
