import { type Hex, isHex, numberToHex } from 'viem';
import { resultOf, trySend } from '../../chain/batch.ts';
import { fromAggregateReply, toAggregateCall } from '../../chain/multicall3.ts';
import type { Node } from '../../chain/node.ts';
import { fromBalanceReplies, toBalanceCalls } from '../../chain/readBalances.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { contractOf } from '../../pools/contractOf.ts';
import { toAddress } from '../../venues/eventWords.ts';
import type { Pool } from '../../venues/poolTypes.ts';
import { balancerVault, type Deployment, type UncoveredVenue } from '../../venues/venueTypes.ts';

/** Names of venues that cannot be quoted: those that may trade the pair, and those for which the read failed. */
export interface UncoveredHolders {
  notCovered: string[];
  notCoveredUnread: string[];
}

type Pair = readonly [LowerAddress, LowerAddress];
type Lists = Pick<Deployment, 'uncovered' | 'routingAssets'>;

/** The look-up call of each factory for two tokens, and the words of its answer: zero if there is no pool; the pool. */
const factoryCalls = {
  /** find_pool_for_coins(address,address) */
  'curve-factory': { toData: (tokens: Pair) => encodeWords('0xa87df06c', tokens), word: 0, poolWord: 0 },
  /** lookup(address,address,uint256,uint256): the first pool of the sorted tokens, as a list */
  'maverick-factory': {
    toData: (tokens: Pair) => encodeWords('0xe262790d', [...[...tokens].sort(), 0n, 1n]),
    word: 1,
    poolWord: 2,
  },
} as const;
/** A few storage reads. */
const findPoolGas = numberToHex(1_000_000);

/** Calls that show which uncovered venues may trade a pair, for a batch. Their number depends on the lists alone. */
export function toUncoveredCalls(lists: Lists, tokens: Pair, block: Hex | 'latest'): RpcCall[] {
  return [
    ...toBalanceCalls(toHoldings(lists, tokens), block),
    ...factoriesOf(lists).map(({ address, toData }) => ({
      method: 'eth_call',
      params: [{ to: address, data: toData(tokens), gas: findPoolGas }, block],
    })),
  ];
}

/** Amount of a token, in base units, that the read pools of a partly covered venue hold. */
type HeldInPools = (holder: LowerAddress, token: LowerAddress) => bigint;

/**
 * Reports a singleton if it holds a token of the pair that is not a routing asset: every large venue holds those. Between
 * two routing assets it must hold both. Balances of its pools that were read do not count.
 */
export function fromUncoveredReplies(
  lists: Lists,
  tokens: Pair,
  replies: readonly (RpcReply | undefined)[],
  heldInPools: HeldInPools = () => 0n,
): UncoveredHolders {
  const holdings = toHoldings(lists, tokens);
  const factories = factoriesOf(lists);
  const balanceCalls = replies.length - factories.length;
  const balances = fromBalanceReplies(holdings, replies.slice(0, balanceCalls));
  const needed = tokens.every((token) => isRouted(lists, token)) ? 2 : 1;
  const notCovered: string[] = [];
  const notCoveredUnread: string[] = [];
  for (const { name, address } of singletons(lists)) {
    const own = holdings.flatMap(({ holder, token }, index) => {
      const balance = balances[index];
      return holder === address && balance ? [{ balance, inPools: heldInPools(holder, token) }] : [];
    });
    const held = own.filter(({ balance, inPools }) => balance.status === 'read' && balance.amount > inPools);
    const isPartlyRead = own.some(({ inPools }) => inPools > 0n);
    if (held.length >= needed) notCovered.push(isPartlyRead ? `${name} pools of other kinds` : name);
    else if (own.some(({ balance }) => balance.status === 'unread')) notCoveredUnread.push(name);
  }
  for (const [index, { name, word }] of factories.entries()) {
    const result = resultOf(replies[balanceCalls + index]);
    if (!isHex(result)) notCoveredUnread.push(name);
    else if ((decodeWords(result, 2)[word] ?? 0n) !== 0n) notCovered.push(name);
  }
  return { notCovered, notCoveredUnread };
}

/** Reads the uncovered venues of a pair at one block, in one request. If the request fails, all are unread. */
export async function readUncovered(
  lists: Lists,
  tokens: Pair,
  block: Hex,
  node: Node,
  heldInPools?: HeldInPools,
): Promise<UncoveredHolders> {
  const calls = toUncoveredCalls(lists, tokens, block);
  const replies = await trySend(node, calls);
  return fromUncoveredReplies(lists, tokens, replies ?? calls.map(() => undefined), heldInPools);
}

/** The name of v4 pools with unlisted hooks, which this service does not quote. */
export const hookedPools = 'uniswap-v4 pools with an unlisted hook';

/** Adds `hookedPools` to `notCovered`. */
export const withHookedPools = ({ notCovered, ...rest }: UncoveredHolders): UncoveredHolders => ({
  ...rest,
  notCovered: [...notCovered, hookedPools],
});

export const singletons = ({ uncovered }: Pick<Lists, 'uncovered'>): UncoveredVenue[] =>
  uncovered.filter(({ kind }) => kind === 'singleton');
/** The uncovered venues whose pools are contracts of their own, with their look-ups. */
const factoriesOf = ({ uncovered }: Pick<Lists, 'uncovered'>) =>
  uncovered.flatMap(({ name, address, kind }) =>
    kind === 'singleton' ? [] : [{ name, address, ...factoryCalls[kind] }],
  );

const toHoldings = (lists: Lists, tokens: Pair) =>
  singletons(lists).flatMap(({ address }) => tokensToProbe(lists, tokens).map((token) => ({ token, holder: address })));

/** The tokens whose balances show that a venue may trade the pair: those that are not routing assets, or both. */
function tokensToProbe(lists: Lists, tokens: Pair): readonly LowerAddress[] {
  const own = tokens.filter((token) => !isRouted(lists, token));
  return own.length > 0 ? own : tokens;
}

const isRouted = ({ routingAssets }: Lists, token: LowerAddress) =>
  routingAssets.some(({ address }) => address === token);

/** A pool that a factory returned for a token and a routing asset. */
export interface FactoryPool {
  venue: string;
  pool: LowerAddress;
}

/** At most 60 look-ups of a few storage reads. */
const lookUpGas = numberToHex(5_000_000);

const lookUpsOf = (lists: Lists, token: LowerAddress) =>
  factoriesOf(lists).flatMap((factory) =>
    lists.routingAssets.flatMap(({ address }) => (address === token ? [] : [{ factory, counter: address }])),
  );

/** One call that reads from the uncovered factories the pools of the token with each routing asset; none without factories. */
export function toFactoryCalls(lists: Lists, token: LowerAddress): RpcCall[] {
  const reads = lookUpsOf(lists, token).map(({ factory, counter }) => ({
    to: factory.address,
    data: factory.toData([token, counter]),
  }));
  return reads.length > 0 ? [toAggregateCall(reads, lookUpGas, 'latest')] : [];
}

/** The first pool of each pair, and the factories that could not be read. */
export function fromFactoryReplies(
  lists: Lists,
  token: LowerAddress,
  [reply]: readonly (RpcReply | undefined)[],
): { pools: FactoryPool[]; unread: string[] } {
  const lookUps = lookUpsOf(lists, token);
  const results = fromAggregateReply(reply);
  const pools = new Map<LowerAddress, FactoryPool>();
  const unread = new Set<string>();
  for (const [index, { factory }] of lookUps.entries()) {
    const result = results?.[index];
    if (!result?.success) unread.add(factory.name);
    const words = decodeWords(result?.returnData ?? '0x', factory.poolWord + 1);
    if ((words[factory.word] ?? 0n) === 0n) continue;
    const pool = toAddress(words[factory.poolWord]);
    pools.set(pool, { venue: factory.name, pool });
  }
  return { pools: [...pools.values()], unread: [...unread] };
}

/** Amount of a token that the weighted pools read so far hold in the vault. Pairs of one pool count once. */
export const heldInWeighted =
  (pools: readonly Pool[]) =>
  (holder: LowerAddress, token: LowerAddress): bigint => {
    const held = new Map<Hex, bigint>();
    for (const { ref, state } of holder === balancerVault ? pools : []) {
      if (state.kind !== 'weighted') continue;
      if (ref.token0 === token) held.set(contractOf(ref), state.balance0);
      if (ref.token1 === token) held.set(contractOf(ref), state.balance1);
    }
    return [...held.values()].reduce((sum, balance) => sum + balance, 0n);
  };
