import { type Hex, isHex, numberToHex } from 'viem';
import { resultOf } from '../../chain/batch.ts';
import { type ContractRead, fromAggregateReply, toAggregateCall } from '../../chain/multicall3.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords, inParts } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { toWeightedCandidatePool } from '../../venues/balancerV2/family.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { toAddress } from '../../venues/eventWords.ts';
import { type BalancerV2Row, balancerVault, type Deployment } from '../../venues/venueTypes.ts';
import { toWeightedCreation, weightedTopic } from '../poolEvents.ts';
import type { WeightedCreation } from '../poolIndex.ts';
import { isLog, type LogTail, toRanges } from '../poolLogs.ts';

// Calls and replies that find weighted pools of Balancer v2. Their factories' logs do not contain the tokens; the vault
// returns the tokens of each pool. Only these factories' pools are used: other code could pay a simulation more than a
// trade.

/** Maximum number of a token's pools whose balances are read: the oldest. */
export const maxOfToken = 100;
/** Tokens of a pool; later releases allow eight. */
const maxTokens = 8;
/** Selectors of the vault, the pools and tokens. */
const [getPoolTokens, getPoolId, getNormalizedWeights, getSwapFeePercentage, decimalsOf] = [
  '0xf94d4668',
  '0x38fff2d0',
  '0xf89f27ed',
  '0x55c67628',
  '0x313ce567',
] as const;
/** Maximum number of reads in one call of Multicall3. A read of a pool with eight tokens takes at most 60,000 gas. */
const readsPerCall = 200;
const aggregateGas = numberToHex(20_000_000);
/** Highest fee that the pools' code allows: 10 %, scaled by 10^18. */
const maxSwapFee = 10n ** 17n;
/** Bounds the work of a token's own code. */
const decimalsGas = numberToHex(100_000);

export const weightedRowsOf = ({ venues }: Pick<Deployment, 'venues'>): BalancerV2Row[] =>
  venues.filter((row) => row.family === 'balancer-v2');

/** A pool as its factory reported it. */
export interface CreatedPool {
  address: LowerAddress;
  candidatePool: CandidatePool;
}

/** A pool with its tokens, as the list of the chain stores it. */
export interface ListedPool {
  /** The vault's id of the pool, which begins with its address. */
  id: Hex;
  candidatePool: CandidatePool;
  tokens: readonly LowerAddress[];
}

/** The calls for the pools that the factories created in a range of blocks. */
export const toCreatedCalls = (rows: readonly BalancerV2Row[], tail: LogTail): RpcCall[] =>
  toRanges(tail).map((range) => ({
    method: 'eth_getLogs',
    params: [{ address: rows.map(({ factory }) => factory), topics: [weightedTopic], ...range }],
  }));

/** The created pools, oldest first. Undefined if the node refused a range. */
export function fromCreatedReplies(
  rows: readonly BalancerV2Row[],
  replies: readonly (RpcReply | undefined)[],
): CreatedPool[] | undefined {
  const factories = rows.map(({ factory }) => factory);
  const created: CreatedPool[] = [];
  for (const reply of replies) {
    const logs = resultOf(reply);
    if (!Array.isArray(logs)) return undefined;
    for (const log of logs) {
      const creation = isLog(log) && toWeightedCreation({ ...log, blockNumber: Number(log.blockNumber) }, factories);
      if (creation) created.push(...toCreated(rows, creation));
    }
  }
  return created;
}

/** The pool of a creation; none if its factory is not covered. */
export function toCreated(rows: readonly BalancerV2Row[], { factory, id }: WeightedCreation): CreatedPool[] {
  const row = rows.find((each) => each.factory === factory);
  return row ? [{ address: id as LowerAddress, candidatePool: toWeightedCandidatePool(row) }] : [];
}

export const toIdCalls = (pools: readonly CreatedPool[]): RpcCall[] =>
  toAggregateCalls(pools.map(({ address }) => ({ to: address, data: getPoolId })));

/** Ids in the order of the pools, undefined for a pool that reverted. Undefined as a whole if the read failed. */
export const fromIdReplies = (replies: readonly (RpcReply | undefined)[]): (Hex | undefined)[] | undefined =>
  fromAggregateReplies(replies)?.map((words) => (words?.[0] ? numberToHex(words[0], { size: 32 }) : undefined));

export const toTokensCalls = (ids: readonly Hex[]): RpcCall[] => toAggregateCalls(ids.map(toTokensRead));

/** Tokens in the order of the ids; undefined if the read failed. */
export const fromTokensReplies = (replies: readonly (RpcReply | undefined)[]): LowerAddress[][] | undefined =>
  fromAggregateReplies(replies)?.map((words) => listAt(words, 0).map((word) => toAddress(word)));

/** Calls for the balances of the pools, and for their weights, which never change. */
export const toWeightedCalls = (pools: readonly ListedPool[]): RpcCall[] =>
  toAggregateCalls(pools.flatMap(({ id }) => [toTokensRead(id), { to: toPool(id), data: getNormalizedWeights }]));

/** Calls for the swap fees. They are separate, because pools with unread fees can still be used. */
export const toFeeCalls = (pools: readonly ListedPool[]): RpcCall[] =>
  toAggregateCalls(pools.map(({ id }) => ({ to: toPool(id), data: getSwapFeePercentage })));

/** The vault's id begins with the pool's address. */
const toPool = (id: Hex) => id.slice(0, 42) as LowerAddress;

const toTokensRead = (id: Hex): ContractRead => ({ to: balancerVault, data: encodeWords(getPoolTokens, [BigInt(id)]) });

export interface WeightedPool {
  id: Hex;
  candidatePool: CandidatePool;
  /** Fraction, scaled by 10^18. The highest allowed fee if it was not read. */
  swapFee: bigint;
  /** Balances in base units; weights as fractions, scaled by 10^18. */
  tokens: { token: LowerAddress; balance: bigint; weight: bigint }[];
}

/** Undefined if the balances or weights could not be read. */
export function fromWeightedReplies(
  pools: readonly ListedPool[],
  replies: readonly (RpcReply | undefined)[],
  feeReplies: readonly (RpcReply | undefined)[],
): WeightedPool[] | undefined {
  const words = fromAggregateReplies(replies);
  const fees = fromAggregateReplies(feeReplies);
  if (!words) return undefined;
  return pools.flatMap(({ id, candidatePool, tokens }, index) => {
    const balances = listAt(words[2 * index], 1);
    const weights = listAt(words[2 * index + 1], 0);
    if (balances.length !== tokens.length || weights.length !== tokens.length) return [];
    const swapFee = fees?.[index]?.[0] ?? maxSwapFee;
    const held = tokens.map((each, at) => ({ token: each, balance: balances[at] ?? 0n, weight: weights[at] ?? 0n }));
    return held.every(({ weight }) => weight > 0n) ? [{ id, candidatePool, swapFee, tokens: held }] : [];
  });
}

export const toDecimalsCalls = (tokens: readonly LowerAddress[]): RpcCall[] =>
  tokens.map((to) => ({ method: 'eth_call', params: [{ to, data: decimalsOf, gas: decimalsGas }, 'latest'] }));

/** The decimals of the tokens that returned some. */
export const fromDecimalsReplies = (
  tokens: readonly LowerAddress[],
  replies: readonly (RpcReply | undefined)[],
): Map<LowerAddress, number> =>
  new Map(
    tokens.flatMap((token, index) => {
      const [count] = wordsOf(resultOf(replies[index])) ?? [];
      return count === undefined ? [] : [[token, Number(count)] as const];
    }),
  );

const toAggregateCalls = (reads: readonly ContractRead[]): RpcCall[] =>
  inParts(reads, readsPerCall).map((part) => toAggregateCall(part, aggregateGas, 'latest'));

/** The words of each read, undefined for a read that reverted. Undefined as a whole if the node did not run a call. */
function fromAggregateReplies(replies: readonly (RpcReply | undefined)[]): (bigint[] | undefined)[] | undefined {
  const results = replies.map(fromAggregateReply);
  if (!results.every((each) => each !== undefined)) return undefined;
  return results.flat().map(({ success, returnData }) => (success ? wordsOf(returnData) : undefined));
}

const wordsOf = (data: unknown): bigint[] | undefined => (isHex(data) && data !== '0x' ? decodeWords(data) : undefined);

/** Decodes the ABI list whose offset is in this word; empty if it is malformed. */
function listAt(words: readonly bigint[] | undefined, word: number): bigint[] {
  const at = Number((words?.[word] ?? 0n) / 32n);
  const length = Number(words?.[at] ?? 0n);
  return at > 0 && length <= maxTokens ? (words?.slice(at + 1, at + 1 + length) ?? []) : [];
}
