import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, createBatch, resultOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { fromPoolLogReplies, type PoolLogs, toPoolLogCalls } from '../../pools/poolLogs.ts';
import type { RecalledPools } from '../exit/recallPools.ts';
import { fromRoleReply, type RoleHolders, toRoleCall } from '../powers/roleHolders.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';

/** How long a check waits for logs after its other reads returned, in milliseconds. */
const graceMs = 2_000;
/** Pauses before logs that end before the block of the check are requested again. */
const behindPausesMs = [50, 100, 150, 300, 400, 500, 500, 500];

interface LogReading {
  pools: PoolLogs;
  /** Undefined if not requested. */
  roles: RoleHolders | undefined;
}

/**
 * Starts reading pool and role logs, in separate requests. Anyone can create pools, and a token can emit events, until
 * these responses are too large or too slow. That may reduce coverage, but must not fail the rest of the check.
 *
 * @param rolesFrom first block whose events of roles and owners are read; undefined: not requested
 * @returns a function that waits for the replies. `head` is the block of the check: logs that end earlier may lack pools.
 */
export function startLogs(
  { data }: PretradeEnvironment,
  node: Node,
  { token, recalled, rolesFrom }: { token: LowerAddress; recalled: RecalledPools; rolesFrom: bigint | undefined },
): (head: bigint) => Promise<LogReading> {
  const [pools, owners] = [createBatch(), createBatch()];
  const headReply = pools.add({ method: 'eth_blockNumber', params: [] });
  const poolReplies = pools.add(...toPoolLogCalls([token], data.candidatePools, recalled.tail));
  const roleReply = rolesFrom === undefined ? undefined : owners.add(toRoleCall(token, rolesFrom));
  let poolFault: string | undefined = 'the request took too long';
  const sent = Promise.all([
    pools.trySend(node).then((fault) => {
      poolFault = fault;
    }),
    owners.trySend(node),
  ]);
  // The rejection is handled below. Without this handler, an early one would end the process.
  sent.catch(() => undefined);

  return async (head) => {
    const done = new AbortController();
    await Promise.race([
      sent.finally(() => done.abort()),
      sleep(graceMs + 2 * (node.backlogMs?.() ?? 0), undefined, { signal: done.signal }).catch(() => undefined),
    ]);
    const roles = roleReply && fromRoleReply(roleReply()[0]);
    if (poolFault !== undefined) return { pools: { status: 'unread', reason: poolFault }, roles };
    return { pools: await readToHead({ batch: pools, headReply, poolReplies }, node, head), roles };
  };
}

interface SentLogs {
  batch: Batch;
  headReply: () => (RpcReply | undefined)[];
  poolReplies: () => (RpcReply | undefined)[];
}

/**
 * The pools in the replies of a batch that was sent. Sends it again, after pauses, while its block number is below `head`:
 * behind one URL another node may be some blocks behind the one that the check read from.
 * @param head the block of the check. Pools created later do not exist for its other reads.
 */
export async function readToHead(
  { batch, headReply, poolReplies }: SentLogs,
  node: Node,
  head: bigint,
): Promise<PoolLogs> {
  const number = () => toBlockNumber(resultOf(headReply()[0]));
  for (const pause of behindPausesMs) {
    if ((number() ?? head) >= head) break;
    await sleep(pause);
    const fault = await batch.trySendPinned(node);
    if (fault !== undefined) return { status: 'unread', reason: fault };
  }
  const read = fromPoolLogReplies(poolReplies());
  if (read.status === 'unread') return read;
  if ((number() ?? -1n) < head) return { status: 'unread', reason: 'the logs end before the block of this check' };
  return { status: 'read', creations: read.creations.filter(({ blockNumber }) => BigInt(blockNumber) <= head) };
}

/** The number in an answer of `eth_blockNumber`; undefined if it is none. */
const toBlockNumber = (value: unknown) =>
  typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value) ? BigInt(value) : undefined;
