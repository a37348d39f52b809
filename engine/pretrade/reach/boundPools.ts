import { type Hex, numberToHex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { inParts } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { isConcentrated } from '../../venues/kinds.ts';
import { decodeExit } from '../exit/decodeExit.ts';
import type { ExitPool, LoggedPool } from '../exit/exitTypes.ts';
import { toExit, toPoolsCall } from '../tokenCalls.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';

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
  {
    token,
    pools,
    blockNumber,
  }: { token: LowerAddress; pools: readonly Omit<LoggedPool, 'venue'>[]; blockNumber: bigint },
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
    const left: Omit<LoggedPool, 'venue'>[] = open.slice(parts.length * size);
    for (const [index, reply] of replies.entries()) {
      const { exits } = toExit(reply()[0], decodeExit);
      for (const [at, exit] of exits.entries()) {
        if (exit.status !== 'unread' && exit.status !== 'not-requested') bounds.set(exit.id, toBound(exit));
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
