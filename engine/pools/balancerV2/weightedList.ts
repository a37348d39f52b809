import type { Hex } from 'viem';
import { createBatch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { WeightedIndex } from '../poolIndex.ts';
import { type LogTail, tailAfter } from '../poolLogs.ts';
import {
  type CreatedPool,
  fromCreatedReplies,
  fromIdReplies,
  fromTokensReplies,
  type ListedPool,
  toCreated,
  toCreatedCalls,
  toIdCalls,
  toTokensCalls,
  weightedRowsOf,
} from './weightedPools.ts';

/** All weighted pools of a chain, read once and then extended. */
export interface WeightedList {
  /** Reads the pools created since the last read, if a read is due. Never rejects. */
  refresh(node: Node): Promise<void>;
  /** Pools with the token, oldest first; undefined if none were read. */
  ofToken(token: LowerAddress): readonly ListedPool[] | undefined;
  /** Whether all pools were read. */
  isComplete(): boolean;
  /** Makes the next refresh read again, also if a read is running. A failed read keeps its retry delay. */
  forget(): void;
}

/** The oldest pools are kept, so that later ones cannot displace them. Creating one costs over four million gas. */
const maxPools = 2_000;
const keptMs = 600_000;
/** Delay before a failed read is retried. */
const failedMs = 30_000;
/** Blocks that are read again, because a reorg can change them. */
const overlap = 1_000n;

class UnreadError extends Error {
  override readonly name = 'UnreadError';
}

interface ListPorts {
  deployment: Pick<Deployment, 'venues'>;
  now: () => number;
  index?: WeightedIndex | undefined;
}

/** Without an index, the logs of all blocks are read. */
const all: LogTail = { from: 0n, seenHead: undefined, longest: undefined };

/**
 * Takes the pools from the index, and reads the logs of the blocks after it and the tokens of new pools: one request, and
 * two more if there are new ones. Spam cannot enlarge the responses cheaply: only creations of Balancer's own weighted
 * pools match.
 */
export function createWeightedList({ deployment, now, index }: ListPorts): WeightedList {
  const rows = weightedRowsOf(deployment);
  const known = new Set<LowerAddress>();
  const ofTokens = new Map<LowerAddress, ListedPool[]>();
  let next: bigint | undefined;
  let isRead = false;
  let isComplete = false;
  let dueAt = 0;
  let hasFailed = false;
  /** Whether `forget()` was called since the last read began. */
  let isForgotten = false;
  let running: Promise<void> | undefined;

  async function read(node: Node): Promise<void> {
    const indexed = await index?.loadWeighted().catch(() => undefined);
    const after = indexed ? tailAfter(indexed, indexed.seenHead) : { tail: all, isComplete: true };
    // A reading of all blocks needs no index.
    const tail =
      next === undefined ? after.tail : { ...after.tail, from: next > after.tail.from ? next : after.tail.from };
    const batch = createBatch();
    const replies = batch.add(...toCreatedCalls(rows, tail));
    // With the header, because the chain id of the node may not be verified yet.
    const header = await batch.sendWithHeader(node, 'latest');
    const created = fromCreatedReplies(rows, replies());
    const found = [...(indexed?.creations ?? []).flatMap((creation) => toCreated(rows, creation)), ...(created ?? [])];
    const added = [...new Map(found.map((pool) => [pool.address, pool])).values()].filter(
      ({ address }) => !known.has(address),
    );
    for (const pool of await readTokens(added.slice(0, maxPools - known.size), node)) list(pool);
    isRead ||= indexed !== undefined || created !== undefined;
    const isKnown = next !== undefined || (after.isComplete && !indexed?.truncated);
    isComplete = created !== undefined && isKnown;
    if (!header || !isComplete)
      throw new UnreadError('Logs of the factories were refused, or are missing in the index.');
    next = header.number > overlap ? header.number - overlap : 0n;
  }

  function list(pool: ListedPool): void {
    known.add(pool.id.slice(0, 42) as LowerAddress);
    for (const token of pool.tokens) ofTokens.set(token, [...(ofTokens.get(token) ?? []), pool]);
  }

  return {
    refresh(node) {
      const isDue = now() >= dueAt || (isForgotten && !hasFailed);
      if (running || rows.length === 0 || !isDue) return running ?? Promise.resolve();
      isForgotten = false;
      running = read(node)
        .then(
          () => false,
          () => true,
        )
        .then((failed) => {
          hasFailed = failed;
          dueAt = now() + (failed ? failedMs : keptMs);
          running = undefined;
        });
      return running;
    },
    ofToken(token) {
      if (rows.length === 0) return [];
      return isRead ? (ofTokens.get(token) ?? []) : undefined;
    },
    isComplete: () => rows.length === 0 || isComplete,
    forget() {
      isForgotten = true;
    },
  };
}

/** A pool that reverts is left out: a reorg removed it. */
async function readTokens(created: readonly CreatedPool[], node: Node): Promise<ListedPool[]> {
  if (created.length === 0) return [];
  const ids = assertRead(fromIdReplies(await send(node, toIdCalls(created))));
  const named = created.flatMap(({ candidatePool }, index) => {
    const id: Hex | undefined = ids[index];
    return id ? [{ id, candidatePool }] : [];
  });
  const tokens = assertRead(fromTokensReplies(await send(node, toTokensCalls(named.map(({ id }) => id)))));
  return named.flatMap((pool, index) => {
    const own = tokens[index] ?? [];
    return own.length > 1 ? [{ ...pool, tokens: own }] : [];
  });
}

function assertRead<T>(read: T | undefined): T {
  if (read === undefined) throw new UnreadError('The node did not execute Multicall3.');
  return read;
}

async function send(node: Node, calls: readonly RpcCall[]): Promise<(RpcReply | undefined)[]> {
  const batch = createBatch();
  const replies = batch.add(...calls);
  await batch.send(node);
  return replies();
}
