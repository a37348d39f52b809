import { numberToHex } from 'viem';
import type { Node } from '../../chain/node.ts';
import { within } from '../../chain/within.ts';
import { bothEnds } from '../../pools/findPools.ts';
import { noHints } from '../../pools/poolHints.ts';
import type { PoolLogs } from '../../pools/poolLogs.ts';
import { maxUnlistedPools } from '../../pools/rankPools.ts';
import { poolKey } from '../exit/splitListed.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';
import { rankKnown, splitPools } from './addExit.ts';
import type { FirstRead } from './readFirst.ts';

/** Maximum number of pool creations kept per token: the oldest and the newest ones. */
const maxCreations = 1_000;
/** How long a check waits for third parties and the confirmation of their pools, in milliseconds. */
const hintMs = 800;

interface Context {
  environment: PretradeEnvironment;
  options: ReadOptions;
  node: Node;
  first: FirstRead;
  logs: PoolLogs;
}

/**
 * Lists the token's pools from the factories' logs, and orders the unlisted ones. The first of them are measured. If the
 * logs may lack pools, adds those that third parties list and the chain confirms.
 */
export async function listPools({ environment, options: { token }, node, first, logs }: Context) {
  const { recalled, exit } = first;
  const { hints } = environment.data;
  const all = logs.status === 'read' ? [...recalled.creations, ...logs.creations] : recalled.creations;
  const creations = bothEnds(all, maxCreations);
  const creationsTruncated = recalled.truncated || all.length > creations.length;
  const areAllRead = logs.status === 'read' && recalled.isComplete;
  hints.sawLogs(areAllRead);
  const { unlisted, listed } = splitPools(environment, token, creations);
  const isWhole = areAllRead && !creationsTruncated;
  const { creations: named, ...sources } = isWhole ? noHints : await within(hintMs, hints.find(token, node), noHints);
  const keys = new Set(unlisted.map(poolKey));
  const hinted = splitPools(environment, token, named).unlisted.filter((pool) => !keys.has(poolKey(pool)));
  const block = numberToHex(exit.blockNumber);
  const ranked = await rankKnown([...unlisted, ...hinted], environment, node, token, block);
  return {
    creations,
    creationsTruncated,
    listed,
    known: ranked.slice(0, maxUnlistedPools),
    dropped: ranked.slice(maxUnlistedPools),
    hinted: { pools: hinted, ...sources },
  };
}
