import type { Hex } from 'viem';
import { createBatch, trySend } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { Deployment } from '../../venues/venueTypes.ts';
import type { WeightedIndex } from '../poolIndex.ts';
import { allBlocks, tailAfter } from '../poolLogs.ts';
import { createRepeatedRead, type RepeatedRead } from '../repeatedRead.ts';
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
export interface WeightedList extends RepeatedRead {
  /** Pools with the token, oldest first; undefined if none were read. */
  ofToken(token: LowerAddress): readonly ListedPool[] | undefined;
  /** Whether all pools were read. */
  isComplete(): boolean;
}

/** The oldest pools are kept, so that later ones cannot displace them. Creating one costs over four million gas. */
const maxPools = 2_000;
/** Blocks that are read again, because a reorg can change them. */
const overlap = 1_000n;

interface ListPorts {
  deployment: Pick<Deployment, 'venues'>;
  now: () => number;
  index?: WeightedIndex | undefined;
}

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

  /** Reads the pools created since the last read. Resolves to false if some are missing. */
  async function read(node: Node): Promise<boolean> {
    const indexed = await index?.loadWeighted().catch(() => undefined);
    const after = indexed ? tailAfter(indexed, indexed.seenHead) : { tail: allBlocks, isComplete: true };
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
    if (!header || !isComplete) return false;
    next = header.number > overlap ? header.number - overlap : 0n;
    return true;
  }

  function list(pool: ListedPool): void {
    known.add(pool.id.slice(0, 42) as LowerAddress);
    for (const token of pool.tokens) ofTokens.set(token, [...(ofTokens.get(token) ?? []), pool]);
  }

  return {
    ...createRepeatedRead(now, read),
    ofToken: (token) => (isRead ? (ofTokens.get(token) ?? []) : undefined),
    isComplete: () => isComplete,
  };
}

/** A pool that reverts is left out: a reorg removed it. */
async function readTokens(created: readonly CreatedPool[], node: Node): Promise<ListedPool[]> {
  if (created.length === 0) return [];
  const ids = assertRead(fromIdReplies(assertRead(await trySend(node, toIdCalls(created)))));
  const named = created.flatMap(({ candidatePool }, index) => {
    const id: Hex | undefined = ids[index];
    return id ? [{ id, candidatePool }] : [];
  });
  const tokenReplies = assertRead(await trySend(node, toTokensCalls(named.map(({ id }) => id))));
  const tokens = assertRead(fromTokensReplies(tokenReplies));
  return named.flatMap((pool, index) => {
    const own = tokens[index] ?? [];
    return own.length > 1 ? [{ ...pool, tokens: own }] : [];
  });
}

function assertRead<T>(read: T | undefined): T {
  if (read === undefined) throw new Error('The node did not answer, or did not execute Multicall3.');
  return read;
}
