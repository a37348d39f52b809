import type { Hex } from 'viem';
import { gasOfLens } from '../chain/lensCall.ts';
import type { Node } from '../chain/node.ts';
import { inParts } from '../chain/words.ts';
import { decodeStates, type StateReading } from './decodeStates.ts';
import { rememberPairs, toPoolLocations } from './poolLocations.ts';
import { stateLens } from './stateLenses.ts';
import type { StateQuery } from './stateQuery.ts';
import type { StateSource } from './stateSource.ts';

/** Parts into which the look-ups of a market are divided. */
const parts = 4;

/** Whether a node's gas cap may have left pools unread, so that parts of the look-ups may find them. */
export function lacksGas({ memory: { gasCap } }: Node, { unread, pairs }: StateReading, query: StateQuery): boolean {
  if (gasCap === undefined || gasCap >= gasOfLens || query.pairs.length < 2) return false;
  return unread.length > 0 || pairs.some(({ statuses }) => statuses.includes('unread'));
}

/**
 * Looks up the pairs in several calls of one request, and remembers them: a read that follows needs gas for the pools' states
 * only.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError | LensAnswerError}
 */
export async function lookUpInParts(source: StateSource, query: StateQuery, node: Node, block: Hex): Promise<void> {
  const { encoder, lens, candidatePools, deployment, pairs: memory, now } = source;
  if (!memory) return;
  const queries = inParts(query.pairs, Math.ceil(query.pairs.length / parts)).map(
    (pairs): StateQuery => ({ ...query, pairs, known: [], earlyCount: 0, feeds: [], trial: undefined }),
  );
  const requests = queries.map((part) => ({ data: encoder.all(part), block, lens: stateLens }));
  const answers = await lens.readLenses(node, requests);
  for (const [index, part] of queries.entries()) {
    const states = decodeStates(answers[index] ?? '0x', part, candidatePools, deployment.wrappedNative);
    rememberPairs(part, toPoolLocations(states, part, candidatePools, now()), memory, now());
  }
}
