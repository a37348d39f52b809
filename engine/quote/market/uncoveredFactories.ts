import { numberToHex } from 'viem';
import { fromAggregateReply, toAggregateCall } from '../../chain/multicall3.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { toAddress } from '../../venues/eventWords.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import { factoriesOf } from './uncoveredVenues.ts';

type Lists = Pick<Deployment, 'uncovered' | 'routingAssets'>;

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
