import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { lacksEarlierBlocks, toPoolLogCalls } from '../../pools/poolLogs.ts';
import type { LoggedPool } from '../exit/exitTypes.ts';
import { type RecalledPools, recallPools } from '../exit/recallPools.ts';
import { splitPools } from '../reads/addExit.ts';
import { readToHead } from '../reads/readLogs.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';

/** Maximum number of tokens that are followed (decisions §5). Anyone can create more. */
const maxTokens = 64;
/** Maximum number of steps from the checked token. Each is one request. */
const maxSteps = 16;
/** Maximum number of pool creations in one step. */
const maxCreations = 2_000;

/** A token without a price that sales can reach, with its pools at the covered factories. */
export interface FollowedToken {
  token: LowerAddress;
  /** Pools that a look-up of the candidate pools may not find. */
  unlisted: LoggedPool[];
  /** Pools with a pricing asset that such a look-up finds. */
  listed: LoggedPool[];
}

/** `areAllLogged`: the logs of all blocks were read. An index omits the listed pools. */
export type FollowedTokens =
  | { status: 'read'; tokens: FollowedToken[]; areAllLogged: boolean }
  | { status: 'unread'; reason: string };

interface Query {
  token: LowerAddress;
  /** Counter-assets of the token's pools. */
  counters: readonly LowerAddress[];
  /** Block of the check. Logs that end earlier may lack pools. */
  head: bigint;
}

/**
 * Follows the tokens without a price that pools connect with the checked one, from the factories' logs, until no new token
 * appears. One request for each step.
 */
export async function followTokens(
  environment: PretradeEnvironment,
  node: Node,
  { token, counters, head }: Query,
): Promise<FollowedTokens> {
  const priced = new Set(environment.data.deployment.pricingAssets.map(({ address }) => address));
  const followed = new Map<LowerAddress, FollowedToken>();
  const isNew = (address: LowerAddress) => address !== token && !priced.has(address) && !followed.has(address);
  let areAllLogged = true;
  let next = [...new Set(counters.filter(isNew))];
  for (let step = 0; next.length > 0; step += 1) {
    if (followed.size + next.length > maxTokens) return unread(`pools lead to more than ${maxTokens} tokens`);
    if (step === maxSteps) return unread(`pools lead to tokens more than ${maxSteps} steps away`);
    const read = await readStep(environment, node, next, head);
    if (read.status === 'unread') return read;
    areAllLogged &&= read.areAllLogged;
    for (const address of next)
      followed.set(address, { token: address, ...splitPools(environment, address, read.creations) });
    next = [...new Set(next.flatMap((address) => countersOf(followed.get(address)).filter(isNew)))];
  }
  return { status: 'read', tokens: [...followed.values()], areAllLogged };
}

const unread = (reason: string) => ({ status: 'unread', reason }) as const;

const countersOf = (followed: FollowedToken | undefined): LowerAddress[] =>
  [...(followed?.unlisted ?? []), ...(followed?.listed ?? [])].map(({ counter }) => counter);

/** Reads the pools of some tokens, from the index and the logs of later blocks. */
async function readStep(
  { data, pools, head: { number } }: PretradeEnvironment,
  node: Node,
  tokens: readonly LowerAddress[],
  head: bigint,
) {
  const recalled = await Promise.all(
    tokens.map((token) =>
      recallPools({ pools, token, memory: undefined, head: number, isBase: false, pace: data.pace }),
    ),
  );
  if (recalled.some(({ truncated }) => truncated)) return unread('a token has too many pools');
  if (recalled.some(({ isComplete }) => !isComplete)) return unread(lacksEarlierBlocks);
  const tail = earliest(recalled);
  const batch = createBatch();
  const headReply = batch.add({ method: 'eth_blockNumber', params: [] });
  const poolReplies = batch.add(...toPoolLogCalls(tokens, data.candidatePools, tail));
  const fault = await batch.trySendPinned(node);
  if (fault !== undefined) return unread(fault);
  const read = await readToHead({ batch, headReply, poolReplies }, node, head);
  if (read.status === 'unread') return read;
  const creations = [...recalled.flatMap((found) => found.creations), ...read.creations].filter(
    ({ blockNumber }) => BigInt(blockNumber) <= head,
  );
  if (creations.length > maxCreations) return unread(`${tokens.length} token(s) have over ${maxCreations} pools`);
  return { status: 'read', creations, areAllLogged: tail.from === 0n } as const;
}

function earliest(recalled: readonly RecalledPools[]): RecalledPools['tail'] {
  const [first, ...others] = recalled.map(({ tail }) => tail);
  if (!first) throw new TypeError('A step follows at least one token.');
  return others.reduce((least, tail) => (tail.from < least.from ? tail : least), first);
}
