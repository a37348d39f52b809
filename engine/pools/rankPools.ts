import { type Hex, isHex, numberToHex } from 'viem';
import { resultOf } from '../chain/batch.ts';
import { fromBalanceReplies, toBalanceCalls } from '../chain/readBalances.ts';
import type { RpcCall, RpcReply } from '../chain/rpcEndpoint.ts';
import { decodeWords, encodeWords, toWord } from '../chain/words.ts';
import { keccak256 } from '../keccak256.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { isSingleton } from '../venues/kinds.ts';
import type { PoolRef } from '../venues/poolTypes.ts';

/** How many pools of one token a quote or pretrade check reads, in addition to those that enumeration finds. */
export const maxUnlistedPools = 24;

/** `extsload(bytes32[])` of Uniswap v4's manager. */
const extsload = '0xdbd035ff';
/** Slot of the manager's mapping of pools (v4-core, StateLibrary). A pool's liquidity is three slots after its price. */
const poolsSlot = toWord(6n);
/** Maximum number of singleton pools in one call. Each needs two storage slots, at 2,100 gas a slot. */
const perCall = 500;
const readGas = numberToHex(10_000_000);

/**
 * Calls that read how much of a token its pools hold. Needed only for more than `maxUnlistedPools`. An attacker can create
 * a pool for a fraction of a cent, so pools are not ranked by age. A holding is costly to fake: it must be deposited.
 */
export function toRankCalls(refs: readonly PoolRef[], token: LowerAddress, block: Hex | 'latest'): RpcCall[] {
  const { contracts, singletons } = partsOf(refs);
  return [
    ...toBalanceCalls(toHoldings(contracts, token), block),
    ...singletons.map((part) => {
      const slots = part.flatMap(({ id }) => {
        const state = BigInt(keccak256(`${id}${poolsSlot}`));
        return [state, state + 3n];
      });
      const data = encodeWords(extsload, [32n, BigInt(slots.length), ...slots]);
      return { method: 'eth_call', params: [{ to: part[0]?.candidatePool.factory, data, gas: readGas }, block] };
    }),
  ];
}

/**
 * The pools that hold the most of the token, in turn with the singletons' pools that hold the most of each hub. At most
 * `maxUnlistedPools`. Pools whose holding was not read come last, in their order.
 *
 * A contract's holding is its balance. A singleton's pool holds at least the amount that its liquidity pays up to the next
 * multiple of its tick spacing, because no position ends in between. If the price is close to a multiple, that amount is
 * almost zero for one of the two tokens. So such a pool is found by the other one.
 * @param hubs counter-assets that no attacker deploys
 */
export function fromRankReplies(
  refs: readonly PoolRef[],
  token: LowerAddress,
  replies: readonly (RpcReply | undefined)[],
  hubs: readonly LowerAddress[],
): PoolRef[] {
  const { contracts, singletons } = partsOf(refs);
  const holdings = toHoldings(contracts, token);
  const balanceCalls = replies.length - singletons.length;
  const balances = fromBalanceReplies(holdings, replies.slice(0, balanceCalls));
  const held = new Map<PoolRef, number>();
  const heldOfHub = hubs.map(() => new Map<PoolRef, number>());
  for (const [index, ref] of contracts.entries()) {
    const balance = balances[index];
    if (balance?.status === 'read') held.set(ref, Number(balance.amount));
  }
  for (const { ref, slot0, liquidity } of toSingletonStates(singletons, replies.slice(balanceCalls))) {
    held.set(ref, minHolding(ref, token, slot0, liquidity));
    const hub = hubs.findIndex((asset) => asset !== token && (ref.token0 === asset || ref.token1 === asset));
    heldOfHub[hub]?.set(ref, minHolding(ref, hubs[hub] as LowerAddress, slot0, liquidity));
  }
  const byHub = heldOfHub.map((own) => byHolding([...own.keys()], own));
  const inTurn = byHolding(refs, held).flatMap((ref, at) => [ref, ...byHub.flatMap((list) => list[at] ?? [])]);
  return [...new Set(inTurn)].slice(0, maxUnlistedPools);
}

/** The least amounts that a singleton's pool holds of its two tokens, in base units, and its price: token1 for one token0. */
interface PoolSize {
  amounts: readonly [bigint, bigint];
  price: number;
}

/** The sizes of the pools that were read. @param refs pools of singletons */
export function fromSizeReplies(
  refs: readonly PoolRef[],
  replies: readonly (RpcReply | undefined)[],
): Map<PoolRef, PoolSize> {
  return new Map(
    toSingletonStates(partsOf(refs).singletons, replies).map(({ ref, slot0, liquidity }) => {
      const unitsOf = (token: LowerAddress) =>
        BigInt(Math.floor(minHolding(ref, token, slot0, liquidity) * belowError));
      const root = Number(BigInt.asUintN(160, slot0)) / 2 ** 96;
      return [ref, { amounts: [unitsOf(ref.token0), unitsOf(ref.token1)], price: root * root }];
    }),
  );
}

/** The amounts are computed in doubles, and must not exceed the truth. */
const belowError = 1 - 1e-9;

/** The states of the pools that were read. */
function toSingletonStates(
  singletons: readonly PoolRef[][],
  replies: readonly (RpcReply | undefined)[],
): { ref: PoolRef; slot0: bigint; liquidity: bigint }[] {
  return singletons.flatMap((part, index) => {
    const result = resultOf(replies[index]);
    const [, count, ...words] = isHex(result) ? decodeWords(result) : [];
    if (count !== BigInt(part.length * 2)) return [];
    return part.map((ref, at) => ({ ref, slot0: words[2 * at] ?? 0n, liquidity: words[2 * at + 1] ?? 0n }));
  });
}

const byHolding = (refs: readonly PoolRef[], held: ReadonlyMap<PoolRef, number>): PoolRef[] =>
  [...refs].sort((a, b) => (held.get(b) ?? -1) - (held.get(a) ?? -1));

/** @param slot0 first word of the pool's state: the price in the low 160 bits, then the tick in 24 */
function minHolding({ candidatePool, token0 }: PoolRef, token: LowerAddress, slot0: bigint, liquidity: bigint): number {
  const price = Number(BigInt.asUintN(160, slot0)) / 2 ** 96;
  if (price === 0) return 0;
  const tick = Number(BigInt.asIntN(24, slot0 >> 160n));
  const lower = Math.floor(tick / candidatePool.tickSpacing) * candidatePool.tickSpacing;
  const [low, high] = [lower, lower + candidatePool.tickSpacing].map((edge) => 1.0001 ** (edge / 2)) as [
    number,
    number,
  ];
  const inRange = Number(BigInt.asUintN(128, liquidity));
  const sold = token0 === token ? 1 / price - 1 / high : price - low;
  return inRange * Math.max(0, sold);
}

const toHoldings = (refs: readonly PoolRef[], token: LowerAddress) =>
  refs.map(({ id }) => ({ token, holder: id as LowerAddress }));

function partsOf(refs: readonly PoolRef[]): { contracts: PoolRef[]; singletons: PoolRef[][] } {
  const contracts = refs.filter(({ candidatePool }) => !isSingleton(candidatePool.kind));
  const singletons: PoolRef[][] = [];
  for (const ref of refs) {
    if (!isSingleton(ref.candidatePool.kind)) continue;
    const part = singletons.find(
      (part) => part[0]?.candidatePool.factory === ref.candidatePool.factory && part.length < perCall,
    );
    if (part) part.push(ref);
    else singletons.push([ref]);
  }
  return { contracts, singletons };
}
