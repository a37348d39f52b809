import { type Hex, numberToHex } from 'viem';
import type { LensCaller, LensRequest } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { LensAnswerError } from '../chain/wordReader.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { encodeChainConfig } from '../venues/encodeChainConfig.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { decodeStates, isUnchanged, type StateReading, type TriedRoutes } from './decodeStates.ts';
import { createStateEncoder, toKnownData } from './encodeStateCall.ts';
import { lacksGas, lookUpInParts } from './lookUpInParts.ts';
import type { PairMemory } from './pairMemory.ts';
import {
  type PoolLocations,
  type RecalledQuery,
  recallPairs,
  rememberPairs,
  toPoolLocations,
  withRecalled,
  withStatuses,
} from './poolLocations.ts';
import { knownLensOf, stateLens, tradingStateLens } from './stateLenses.ts';
import { type MarketQuery, type StateQuery, toStateQuery } from './stateQuery.ts';
import type { StateSource } from './stateSource.ts';

export function createStateSource(
  deployment: Deployment,
  candidatePools: readonly CandidatePool[],
  lens: LensCaller,
  { now = Date.now, pairs }: { now?: () => number; pairs?: PairMemory } = {},
): StateSource {
  return {
    deployment,
    candidatePools,
    encoder: createStateEncoder(encodeChainConfig(deployment, candidatePools)),
    lens,
    now,
    pairs,
  };
}

/** An earlier read of a market. */
export interface EarlierRead {
  states: StateReading;
  locations: PoolLocations | undefined;
  /** The encoded query, if the pools were known before, and the hash of the block in which it was answered. */
  tail: string | undefined;
  blockHash: Hex | undefined;
  /** The answer's words. */
  words: Hex;
}

/** Accounts of a call, for a query with a trial. */
type CallAccounts = Pick<LensRequest, 'accounts' | 'parties'>;

/** The call for a batch that the caller sends. */
export function toStateCall(
  { encoder }: StateSource,
  query: StateQuery,
  block: Hex | 'latest',
  { accounts, parties }: CallAccounts = {},
): LensRequest {
  const request = { data: encoder.all(query), block, lens: query.trial ? tradingStateLens : stateLens };
  return { ...request, ...(accounts && { accounts }), ...(parties && { parties }) };
}

/**
 * Reads the pools of all pairs that a route may use, at one block, in one request.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readMarketStates(
  source: StateSource,
  query: MarketQuery,
  node: Node,
  block: Hex | 'latest',
): Promise<StateReading> {
  return (await readStatesBeside(source, query, [], node, block)).read.states;
}

interface StateRead {
  read: EarlierRead;
  answers: Hex[];
  tried?: TriedRoutes | undefined;
  /** An earlier look-up was used. */
  isRecalled: boolean;
}

/**
 * Reads the states and calls other lenses in the same request. With the locations of an earlier read no factory is
 * queried. If no block followed an earlier read with the same query, its states are returned.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readStatesBeside(
  source: StateSource,
  query: MarketQuery,
  others: readonly LensRequest[],
  node: Node,
  block: Hex | 'latest',
  earlier?: EarlierRead,
  accounts?: CallAccounts,
  mayDivide = true,
): Promise<StateRead> {
  const { deployment, encoder, lens } = source;
  const locations = earlier?.locations;
  const named = locations ? { ...query, known: locations.known, onlyKnown: true } : query;
  const full = toStateQuery(deployment, named);
  const recalled = locations || !source.pairs ? undefined : recallPairs(full, source.pairs);
  const stateQuery = recalled?.remaining ?? full;
  const tail = named.onlyKnown ? encoder.known(stateQuery) : undefined;
  const seen = tail !== undefined && tail === earlier?.tail ? earlier.states.block : undefined;
  const own: LensRequest =
    tail === undefined
      ? toStateCall(source, stateQuery, block, accounts)
      : { data: toKnownData(tail, seen), block, lens: knownLensOf(stateQuery.known) };
  // The states come last: their block is the one that the attempt is pinned to.
  const { answers } = await lens.readLenses(node, [...others, own]);
  const words = answers.at(-1) ?? '0x';
  const blockHash = node.block?.hash;
  const rest = answers.slice(0, -1);
  try {
    if (isUnchanged(words)) {
      if (!seen || !earlier)
        throw new LensAnswerError('The answer refers to an earlier read, but the call contained none.');
      // A reorg replaced the block by one with the same number, time and parent.
      if (earlier.blockHash !== blockHash) {
        return readStatesBeside(source, query, others, node, block, { ...earlier, tail: undefined });
      }
      return { read: earlier, answers: rest, isRecalled: true };
    }
    const { tried, ...decoded } = decode(source, words, {
      stateQuery,
      recalled,
      earlier,
      isOnlyKnown: named.onlyKnown,
    });
    if (mayDivide && source.pairs && lacksGas(node, decoded.states, stateQuery)) {
      const pinned = numberToHex(decoded.states.block.number);
      await lookUpInParts(source, stateQuery, node, pinned);
      return readStatesBeside(source, query, others, node, pinned, earlier, accounts, false);
    }
    return {
      read: { ...decoded, tail, blockHash, words },
      answers: rest,
      tried,
      isRecalled: !!(locations || recalled),
    };
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the state lens.', { cause });
  }
}

interface DecodeContext {
  stateQuery: StateQuery;
  recalled: RecalledQuery | undefined;
  earlier: EarlierRead | undefined;
  isOnlyKnown: boolean | undefined;
}

/** The states of an answer and the locations of their pools. Pairs that were looked up are remembered. */
function decode(
  { deployment, candidatePools, now, pairs }: StateSource,
  words: Hex,
  { stateQuery, recalled, earlier, isOnlyKnown }: DecodeContext,
): Pick<EarlierRead, 'states' | 'locations'> & { tried?: TriedRoutes | undefined } {
  const locations = earlier?.locations;
  const { tried, ...decoded } = decodeStates(
    words,
    stateQuery,
    candidatePools,
    deployment.wrappedNative,
    locations && earlier,
  );
  if (locations) return { states: withStatuses(decoded, locations), locations, tried };
  const states = recalled ? withRecalled(decoded, recalled) : decoded;
  if (isOnlyKnown) return { states, locations: undefined, tried };
  const found = toPoolLocations(states, stateQuery, candidatePools, recalled?.locations.foundAt ?? now());
  if (pairs) rememberPairs(stateQuery, found, pairs);
  return { states, locations: found, tried };
}
