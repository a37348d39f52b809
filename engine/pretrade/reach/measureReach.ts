import { type Hex, numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { inParts } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import { isConcentrated } from '../../venues/kinds.ts';
import { decodeExit } from '../exit/decodeExit.ts';
import type { ExitPool, ExitReading, PoolFields } from '../exit/exitTypes.ts';
import { includesPool } from '../exit/recheck.ts';
import { addExit, rankKnown } from '../reads/addExit.ts';
import { toExit, toPoolsCall } from '../tokenCalls.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';
import { type FollowedToken, followTokens } from './followTokens.ts';
import type { Reach, ReachedToken } from './reachValue.ts';

/** Maximum number of tokens whose pools are measured: each takes a call of the exit lens. */
const maxMeasured = 16;

/**
 * Follows the counter-assets without a price, and measures the pools that lead from them to a pricing asset. If none does,
 * nothing is measured.
 */
export async function readReach(
  environment: PretradeEnvironment,
  node: Node,
  { token, counters, blockNumber }: { token: LowerAddress; counters: readonly LowerAddress[]; blockNumber: bigint },
): Promise<Reach> {
  const followed = await followTokens(environment, node, { token, counters, head: blockNumber });
  if (followed.status === 'unread') return followed;
  const { tokens, areAllLogged } = followed;
  const priced = new Set(environment.data.deployment.pricingAssets.map(({ address }) => address));
  // Without all logs, only a look-up shows whether a token has a pool with a pricing asset.
  const leading = areAllLogged ? leadingTo(tokens, priced) : tokens;
  if (leading.length > maxMeasured) {
    return { status: 'unread', reason: `more than ${maxMeasured} tokens lead to an asset with a price` };
  }
  return measureTokens(environment, node, leading, blockNumber);
}

/** The tokens from which pools lead to a pricing asset. */
function leadingTo(tokens: readonly FollowedToken[], priced: ReadonlySet<LowerAddress>): FollowedToken[] {
  const leads = new Set<LowerAddress>(priced);
  for (let before = -1; before !== leads.size; ) {
    before = leads.size;
    for (const { token, unlisted, listed } of tokens) {
      if ([...unlisted, ...listed].some(({ counter }) => leads.has(counter))) leads.add(token);
    }
  }
  return tokens.filter(({ token }) => leads.has(token));
}

async function measureTokens(
  environment: PretradeEnvironment,
  node: Node,
  tokens: readonly FollowedToken[],
  blockNumber: bigint,
): Promise<Reach> {
  const block = numberToHex(blockNumber);
  const batch = createBatch();
  let gap: string | undefined;
  const reads: { followed: FollowedToken; read: () => ExitReading }[] = [];
  for (const followed of tokens) {
    const known = await rankKnown(followed.unlisted, environment, node, followed.token, block);
    if (known.length > maxUnlistedPools) gap = `a token has more than ${maxUnlistedPools} pools`;
    const pools = known.slice(0, maxUnlistedPools);
    const exit = addExit(batch, environment, node, { token: followed.token, pools, block });
    reads.push({ followed, read: exit });
  }
  await batch.send(node);
  const reached: ReachedToken[] = [];
  for (const { followed, read } of reads) {
    const exit = read();
    const isDenied = followed.listed.some((pool) => !includesPool(exit, pool));
    const unread = exit.pairs.some(({ statuses }) => statuses.includes('unread'));
    if (isDenied || unread || exit.exits.some(isUnmeasured)) gap ??= 'a pool could not be measured';
    reached.push({ token: followed.token, pools: exit.exits });
  }
  return { status: 'read', tokens: reached, gap };
}

const isUnmeasured = ({ status }: ExitPool) => status === 'unread' || status === 'not-requested';

/** Adds the upper bounds of the concentrated pools of reached tokens, by sales over their whole price ranges. */
export async function boundReach(
  environment: PretradeEnvironment,
  node: Node,
  reach: Extract<Reach, { status: 'read' }>,
  blockNumber: bigint,
): Promise<Reach> {
  const bounded = reach.tokens.map(async ({ token, pools }): Promise<ReachedToken> => {
    const open = pools.filter(({ kind, most }) => isConcentrated(kind) && most === undefined);
    const bounds = await boundPools(environment, node, { token, pools: open, blockNumber });
    return { token, pools: pools.map((pool) => ({ ...pool, most: pool.most ?? bounds.get(pool.id)?.most })) };
  });
  return { ...reach, tokens: await Promise.all(bounded) };
}

/**
 * Pools in one call, in the first and in the second attempt. A sale over the whole price range costs 0.5 million gas at a
 * tick spacing of 60, and up to 10 million at narrower ones.
 */
const poolsPerCall = [10, 2] as const;
/** Maximum number of calls in one attempt. */
const maxCalls = 20;

/**
 * Sells to each pool over its whole price range, which bounds what it can pay. Pools that could not be measured are missing
 * in the result. At most two requests.
 */
export async function boundPools(
  environment: PretradeEnvironment,
  node: Node,
  { token, pools, blockNumber }: { token: LowerAddress; pools: readonly PoolFields[]; blockNumber: bigint },
): Promise<Map<Hex, ExitPool>> {
  const bounds = new Map<Hex, ExitPool>();
  let open = pools;
  for (const size of poolsPerCall) {
    if (open.length === 0) break;
    const parts = inParts(open, size).slice(0, maxCalls);
    const batch = createBatch();
    const replies = parts.map((known) =>
      batch.add(toPoolsCall(environment, node, { token, known, block: numberToHex(blockNumber), whole: true })),
    );
    await batch.send(node);
    const left: PoolFields[] = open.slice(parts.length * size);
    for (const [index, reply] of replies.entries()) {
      const { exits } = toExit(reply()[0], decodeExit);
      for (const [at, exit] of exits.entries()) {
        if (!isUnmeasured(exit)) bounds.set(exit.id, toBound(exit));
        else {
          const pool = parts[index]?.[at];
          if (pool) left.push(pool);
        }
      }
    }
    open = left;
  }
  return bounds;
}

const toBound = (exit: ExitPool): ExitPool => (isConcentrated(exit.kind) ? { ...exit, most: exit.drawn } : exit);
