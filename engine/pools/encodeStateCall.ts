import { type Hex, maxUint256, size, toFunctionSelector } from 'viem';
import { commonPoolsLensArtifact } from '../../contracts/artifacts/lens/CommonPoolsLens.ts';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { LensCode } from '../chain/lensCall.ts';
import { packCall } from '../chain/packedWords.ts';
import { isSingleton, kinds } from '../venues/kinds.ts';
import { addressesOf } from './contractOf.ts';
import type { KnownPool, StatePair, StateQuery } from './stateQuery.ts';

/** `read` of contracts/lens/StateLens.sol. */
export const stateSelector = toFunctionSelector(
  'function read(bytes config, (address,uint256)[] tokens, uint256[] pairs, (uint256,address)[] known, address[] feeds, uint256 ticks, (address,address,address,uint256,uint256) trial)',
);

/** `read` of contracts/lens/KnownPoolsLens.sol. */
const knownSelector = toFunctionSelector(
  'function read((uint256,uint256,bytes32) seen, bytes header, (address,uint256)[] tokens, (uint256,address)[] known, address[] feeds, uint256 ticks)',
);
/** The header of contracts/lens/ChainConfig.sol up to its counts: native token, sequencer feed, kind of chain. */
const fixedHeaderBytes = 41;

const directions = { a: 1, b: 2, both: 3 } as const;

/** The block in which the same query was answered before. */
export interface SeenBlock {
  number: bigint;
  timestamp: bigint;
  parentHash: Hex;
}

export interface StateEncoder {
  /** Calldata of `read`. */
  all: (query: StateQuery) => Hex;
  /** Calldata of `read` without selector and block: equal for equal queries. */
  known: (query: StateQuery) => string;
}

/** @param chainData of one chain, from `encodeChainConfig` */
export function createStateEncoder(chainData: Hex): StateEncoder {
  const rows = bytes(chainData);
  // Counts: assets (1 byte), groups (1), candidate pools (2). A read without look-ups needs no assets and groups.
  const candidatePoolCount = chainData.slice(2 + 2 * (fixedHeaderBytes + 2), 2 + 2 * (fixedHeaderBytes + 4));
  const header = bytes(`${chainData.slice(0, 2 + 2 * fixedHeaderBytes)}0000${candidatePoolCount}` as Hex);
  return {
    all: (query) => {
      const { tokens, known, feeds } = toLists(query);
      const pairs = list(query.pairs, (pair) => word(packPair(pair)));
      const fixed = word(query.ticks) + encodeTrial(query);
      const rowsOrHeader = query.pairs.length > 0 ? rows : header;
      return `${stateSelector}${withOffsets([rowsOrHeader, tokens, pairs, known, feeds], fixed)}`;
    },
    known: (query) => {
      const { tokens, known, feeds } = toLists(query);
      return withOffsets([header, tokens, known, feeds], word(query.ticks), 3);
    },
  };
}

/** Packed calldata of `read`. @param tail the result of `StateEncoder.known` */
export function toKnownData(tail: string, seen: SeenBlock | undefined): Hex {
  const block = seen ? word(seen.number) + word(seen.timestamp) + word(seen.parentHash) : unseen;
  return packCall(`${knownSelector}${block}${tail}`);
}

const unseen = '0'.repeat(3 * 64);

function toLists({ tokens, known, feeds }: StateQuery) {
  const indices = new Map(tokens.map(({ address }, index) => [address, index]));
  return {
    tokens: list(tokens, ({ address, worth = 0n }) => word(address) + word(clip(worth))),
    known: list(known, (pool) => encodeKnown(pool, indices)),
    feeds: list(feeds, word),
  };
}

function bytes(data: Hex): string {
  const length = size(data);
  return word(length) + data.slice(2).padEnd(Math.ceil(length / 32) * 64, '0');
}

/**
 * ABI-encodes the end of a call: the offsets of the lists, the `fixed` words, then the lists.
 * @param before words that the caller puts before the offsets, which count them
 */
function withOffsets(lists: readonly string[], fixed: string, before = 0): string {
  let at = (before + lists.length) * 32 + fixed.length / 2;
  const offsets = lists.map((text) => {
    const offset = word(at);
    at += text.length / 2;
    return offset;
  });
  return `${offsets.join('')}${fixed}${lists.join('')}`;
}

/** The trial, or zeros, and the number of pools to read before the pairs. */
const encodeTrial = ({ trial, earlyCount }: StateQuery): string =>
  (trial ? [trial.lens, trial.payer, trial.secondPayer, trial.amount].map(word).join('') : '0'.repeat(4 * 64)) +
  word(earlyCount);

const list = <T>(items: readonly T[], encode: (item: T) => string) => word(items.length) + items.map(encode).join('');

const packPair = ({ a, b, sells }: StatePair) => a | (b << 8) | (directions[sells] << 16);

const hexOf = (value: number, bytes: number) => (value & (2 ** (8 * bytes) - 1)).toString(16).padStart(2 * bytes, '0');

/** Packs a pool into the two words of `PoolInput` (contracts/lens/StateTypes.sol), highest byte first. */
function encodeKnown({ ref, sells, ticks = 0, spacing }: KnownPool, indices: ReadonlyMap<string, number>): string {
  const { candidatePool, id, token0, token1 } = ref;
  const [a, b] = [indices.get(token0), indices.get(token1)];
  if (a === undefined || b === undefined) throw new RangeError(`The tokens of pool ${id} are not in the query.`);
  const pair = packPair({ a, b, sells: sells === 'both' ? 'both' : sells === 'token0' ? 'a' : 'b' });
  const { swapsAt, otherOf } = addressesOf(ref);
  // The lens uses the factories of Solidly only, for the fee.
  const other = usesOther(candidatePool.kind) ? word(otherOf(ref)) : word(0);
  const key = `${hexOf(spacing ?? candidatePool.tickSpacing, 3)}${hexOf(candidatePool.fee, 3)}${hexOf(candidatePool.kind, 1)}`;
  return `${hexOf(ticks, 2)}${hexOf(pair, 3)}${key}${swapsAt(ref).slice(2)}${other}`;
}

const usesOther = (kind: number): boolean =>
  isSingleton(kind) || kind === kinds.weighted || kind === kinds.solidly || kind === kinds.solidlyPair;

const clip = (value: bigint) => (value > maxUint256 ? maxUint256 : value);

const word = (value: number | bigint | Hex): string =>
  (typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0');

type Deployed = (typeof lensDeployment.lenses)[number]['name'];

const withAddress = ({ runtime }: LensCode, name: Deployed): LensCode => {
  const address = lensDeployment.lenses.find((lens) => lens.name === name)?.address;
  return { runtime, ...(address && { deployedAt: address }) };
};

export const stateLens = withAddress(stateLensArtifact, 'StateLens');

/**
 * The state lens for a call that also executes routes. A token could measure that the deployed lens was used in the call, so
 * the call contains the code (ADR 014).
 */
export const tradingStateLens: LensCode = { runtime: stateLensArtifact.runtime };

const knownPoolsLens = withAddress(knownPoolsLensArtifact, 'KnownPoolsLens');
/** Shorter code for a chain without the deployed lens, which returns the same. */
const commonPoolsLens = withAddress(commonPoolsLensArtifact, 'KnownPoolsLens');

/** Kinds that contracts/lens/RarePoolStates.sol reads. */
const rareKinds: readonly number[] = [kinds.algebra, kinds.selfPricedPair, kinds.weighted];

/** The lens that reads these pools without look-ups. */
export const knownLensOf = (known: readonly KnownPool[]): LensCode =>
  known.some(({ ref }) => rareKinds.includes(ref.candidatePool.kind)) ? knownPoolsLens : commonPoolsLens;
