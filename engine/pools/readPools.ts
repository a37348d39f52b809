import { type Hex, numberToHex } from 'viem';
import { gasOfLens, type LensCaller, type LensRequest } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { LensAnswerError } from '../chain/wordReader.ts';
import { inParts } from '../chain/words.ts';
import type { CandidatePool } from '../venues/candidatePool.ts';
import { encodeChainConfig } from '../venues/encodeChainConfig.ts';
import type { Deployment } from '../venues/venueTypes.ts';
import { decodeStates, isUnchanged, type StateReading, type TriedRoutes } from './decodeStates.ts';
import {
  createStateEncoder,
  knownLensOf,
  type StateEncoder,
  stateLens,
  toKnownData,
  tradingStateLens,
} from './encodeStateCall.ts';
import {
  type PairMemory,
  type PoolLocations,
  type RecalledQuery,
  recallPairs,
  rememberPairs,
  toPoolLocations,
  withStatuses,
} from './poolLocations.ts';
import { type MarketQuery, type StateQuery, toStateQuery } from './stateQuery.ts';

/** Inputs of the state lens for one chain. */
export interface StateSource {
  deployment: Deployment;
  candidatePools: readonly CandidatePool[];
  encoder: StateEncoder;
  lens: LensCaller;
  now: () => number;
  /** Undefined: each read looks up all pairs. */
  pairs: PairMemory | undefined;
}

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

interface StateRead {
  read: EarlierRead;
  tried?: TriedRoutes | undefined;
  /** An earlier look-up was used. */
  isRecalled: boolean;
}

/** The call for the states of a market, for a request that the caller sends, and the decoder of its answer. */
export interface PreparedStates {
  request: LensRequest;
  /**
   * Decodes the answer, which is of the node's pinned block. Reads the states again if the gas did not suffice to look up all
   * pairs, or if the answer refers to an earlier read of a replaced block.
   * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
   */
  read(words: Hex, node: Node): Promise<StateRead>;
}

/**
 * Reads the states in one request (`PreparedStates.read`).
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function readStates(
  source: StateSource,
  query: MarketQuery,
  node: Node,
  block: Hex | 'latest',
  earlier?: EarlierRead,
  accounts?: CallAccounts,
  mayDivide = true,
): Promise<StateRead> {
  const { request, read } = prepareStates(source, query, block, earlier, accounts, mayDivide);
  const [answer = '0x'] = await source.lens.readLenses(node, [request]);
  return read(answer, node);
}

/**
 * Prepares a read of states. With the locations of an earlier read no factory is queried. If no block followed an earlier
 * read with the same query, its states are returned.
 */
export function prepareStates(
  source: StateSource,
  query: MarketQuery,
  block: Hex | 'latest',
  earlier?: EarlierRead,
  accounts?: CallAccounts,
  mayDivide = true,
): PreparedStates {
  const { deployment, encoder } = source;
  const locations = earlier?.locations;
  const named = locations ? { ...query, known: locations.known, onlyKnown: true } : query;
  const full = toStateQuery(deployment, named);
  const recalled = locations || !source.pairs ? undefined : recallPairs(full, source.pairs);
  const stateQuery = recalled?.remaining ?? full;
  const tail = named.onlyKnown ? encoder.known(stateQuery) : undefined;
  const seen = tail !== undefined && tail === earlier?.tail ? earlier.states.block : undefined;
  const request: LensRequest =
    tail === undefined
      ? toStateCall(source, stateQuery, block, accounts)
      : { data: toKnownData(tail, seen), block, lens: knownLensOf(stateQuery.known) };
  return {
    request,
    async read(words, node) {
      const blockHash = node.block?.hash;
      try {
        if (isUnchanged(words)) {
          if (!seen || !earlier)
            throw new LensAnswerError('The answer refers to an earlier read, but the call contained none.');
          // A reorg replaced the block by one with the same number, time and parent.
          if (earlier.blockHash !== blockHash) {
            return readStates(source, query, node, block, { ...earlier, tail: undefined }, accounts);
          }
          return { read: earlier, isRecalled: true };
        }
        const isOnlyKnown = named.onlyKnown;
        const { tried, ...decoded } = decode(source, words, { stateQuery, recalled, earlier, isOnlyKnown });
        if (mayDivide && source.pairs && lacksGas(node, decoded.states, stateQuery)) {
          const pinned = numberToHex(decoded.states.block.number);
          await lookUpInParts(source, stateQuery, node, pinned);
          return readStates(source, query, node, pinned, earlier, accounts, false);
        }
        return { read: { ...decoded, tail, blockHash, words }, tried, isRecalled: !!(locations || recalled) };
      } catch (cause) {
        if (!(cause instanceof LensAnswerError)) throw cause;
        throw new NodeRefusedError('The node returned malformed data for the state lens.', { cause });
      }
    },
  };
}

interface DecodeContext {
  stateQuery: StateQuery;
  recalled: RecalledQuery | undefined;
  earlier: EarlierRead | undefined;
  isOnlyKnown: boolean | undefined;
}

/** The states of an answer and the locations of their pools. Pairs that were looked up are remembered. */
function decode(
  { deployment: { wrappedNative }, candidatePools, now, pairs }: StateSource,
  words: Hex,
  { stateQuery, recalled, earlier, isOnlyKnown }: DecodeContext,
): Pick<EarlierRead, 'states' | 'locations'> & { tried?: TriedRoutes | undefined } {
  const locations = earlier?.locations;
  const { tried, ...decoded } = decodeStates(words, stateQuery, candidatePools, wrappedNative, locations && earlier);
  if (locations) return { states: withStatuses(decoded, locations), locations, tried };
  const states = recalled
    ? withStatuses(decoded, { ...recalled.locations, pairs: [...decoded.pairs, ...recalled.locations.pairs] })
    : decoded;
  if (isOnlyKnown) return { states, locations: undefined, tried };
  const found = toPoolLocations(states, stateQuery, candidatePools, recalled?.locations.foundAt ?? now());
  if (pairs) rememberPairs(stateQuery, found, pairs, now());
  return { states, locations: found, tried };
}

/** Parts into which the look-ups of a market are divided. */
const parts = 4;

/** Whether a node's gas cap may have left pools unread, so that parts of the look-ups may find them. */
function lacksGas({ memory: { gasCap } }: Node, { unread, pairs }: StateReading, query: StateQuery): boolean {
  if (gasCap === undefined || gasCap >= gasOfLens || query.pairs.length < 2) return false;
  return unread.length > 0 || pairs.some(({ statuses }) => statuses.includes('unread'));
}

/**
 * Looks up the pairs in several calls of one request, and remembers them: a read that follows needs gas for the pools' states
 * only.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError | LensAnswerError}
 */
async function lookUpInParts(source: StateSource, query: StateQuery, node: Node, block: Hex): Promise<void> {
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
