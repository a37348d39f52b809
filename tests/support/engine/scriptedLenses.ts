import { type Address, concat, decodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem';
import { unpackCall } from '../../../engine/chain/packedWords.ts';
import type { RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { type LowerAddress, toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { CandidatePool } from '../../../engine/venues/candidatePool.ts';
import { candidatePools, entryWords, packStatuses, pairEntry, toAnswer } from './testAnswer.ts';
import { addressOf, type Probe, testHeader, wordsOf, zeroAccount } from './testProbe.ts';

// The lenses over constant-product pools: they answer in the layouts of the contracts.

/** A pool with Uniswap v2's fee. `pays` is what it sends for an amount, in parts of 10,000 of what its reserves promise. */
export interface ScriptedPool {
  id: LowerAddress;
  token0: LowerAddress;
  token1: LowerAddress;
  reserve0: bigint;
  reserve1: bigint;
  pays?: (amountIn: bigint) => bigint;
  fails?: boolean;
  /** The engine has no formula for it. */
  isOpaque?: boolean;
  /** The venue; each has one pool of two tokens. */
  row?: 0 | 1;
}

const stateAbi = parseAbi([
  'struct Token { address token; uint256 worth; }',
  'struct Known { uint256 key; address other; }',
  'struct Trial { address lens; address payer; address secondPayer; uint256 amount; uint256 earlyCount; }',
  'function read(bytes config, Token[] tokens, uint256[] pairs, Known[] known, address[] feeds, uint256 ticks, Trial trial)',
]);
const knownAbi = parseAbi([
  'struct Seen { uint256 number; uint256 timestamp; bytes32 parentHash; }',
  'struct Token { address token; uint256 worth; }',
  'struct Known { uint256 key; address other; }',
  'function read(Seen seen, bytes header, Token[] tokens, Known[] known, address[] feeds, uint256 ticks)',
]);

export interface StateCall {
  tokens: readonly { token: Address; worth: bigint }[];
  pairs: readonly bigint[];
  known: readonly { key: bigint }[];
  feeds: readonly Address[];
  ticks: bigint;
  trial?: { lens: Address; payer: Address; secondPayer: Address; amount: bigint };
}

export function decodeStateCall(data: Hex): StateCall | undefined {
  try {
    const { args } = decodeFunctionData({ abi: stateAbi, data });
    const [, tokens, pairs, known, feeds, ticks, trial] = args;
    return { tokens, pairs, known, feeds, ticks, ...(BigInt(trial.lens) !== 0n && { trial }) };
  } catch {
    return undefined;
  }
}

export function decodeKnownCall(data: Hex): StateCall | undefined {
  try {
    const { args } = decodeFunctionData({ abi: knownAbi, data: unpackCall(data) });
    const [, , tokens, known, feeds, ticks] = args;
    return { tokens, pairs: [], known, feeds, ticks };
  } catch {
    return undefined;
  }
}

export const paidBy = (
  { token0, reserve0, reserve1, pays = () => 10_000n }: ScriptedPool,
  sold: string,
  amountIn: bigint,
) => {
  const [into, from] = sold === token0 ? [reserve0, reserve1] : [reserve1, reserve0];
  return (((amountIn * 997n * from) / (into * 1_000n + amountIn * 997n)) * pays(amountIn)) / 10_000n;
};

/** One run of an order, as the plan lens returns it. */
function runOf({ amountIn, legs }: Probe['orders'][number], pools: readonly ScriptedPool[]): Hex {
  const held = new Map<string, bigint>();
  const sold = new Map<string, bigint>();
  const first = toLowerAddress(legs[0]?.tokenIn ?? '0x');
  held.set(first, amountIn);
  const last = toLowerAddress(legs.at(-1)?.tokenOut ?? '0x');
  const moved: Hex[] = [];
  let failed: number | undefined;
  for (const [index, leg] of legs.entries()) {
    const [from, to] = [toLowerAddress(leg.tokenIn), toLowerAddress(leg.tokenOut)];
    const total = held.get(from) ?? 0n;
    const isLastOf = !legs.slice(index + 1).some(({ tokenIn }) => toLowerAddress(tokenIn) === from);
    const amount = isLastOf ? total - (sold.get(from) ?? 0n) : (total * BigInt(leg.shareBps)) / 10_000n;
    const pool = pools.find(({ id }) => id === toLowerAddress(leg.pool));
    if (!pool || pool.fails) failed ??= index;
    if (failed !== undefined) {
      moved.push(wordsOf(0n, 0n, 0n, 0n));
      continue;
    }
    const paid = paidBy(pool as ScriptedPool, from, amount);
    sold.set(from, (sold.get(from) ?? 0n) + amount);
    held.set(to, (held.get(to) ?? 0n) + paid);
    moved.push(wordsOf(amount, amount, paid, paid));
  }
  const isFilled = failed === undefined;
  const received = isFilled ? (held.get(last) ?? 0n) : 0n;
  const head = [isFilled ? 1n : 3n, BigInt(failed ?? legs.length), isFilled ? 0n : 0xdeadbeefn, received, 90_000n];
  return concat([wordsOf(...head), ...moved]);
}

export interface MarketState {
  pools: ScriptedPool[];
  number: bigint;
  supply: bigint;
  now: number;
  idleMs: number;
  /** The accounts of probes hold the token sold. */
  isFunded: boolean;
  baseFee: bigint;
}

const [pairRow] = candidatePools as [CandidatePool];
export const rows: readonly CandidatePool[] = [pairRow, { ...pairRow, venue: 'other', factory: addressOf('7') }];

const fieldsOf = ({ id, isOpaque, reserve0, reserve1 }: ScriptedPool) => ({
  ...{ id, form: isOpaque ? ('unknown' as const) : ('v2' as const) },
  values: [reserve0, reserve1, 0n, 0n] as const,
});

const headOf = ({ number }: MarketState) => [number, number + 84n, BigInt(testHeader.parentHash)];

/** The answer of the plan lens. */
export function probeWords(orders: Probe['orders'], state: MarketState): Hex {
  const runs = orders.flatMap((order) => {
    const run = runOf(order, state.pools);
    if (order.secondPayer === zeroAccount) return [run];
    const isFilled = BigInt(run.slice(0, 66)) === 1n;
    return [run, isFilled ? run : wordsOf(...Array<bigint>(5 + 4 * order.legs.length).fill(0n))];
  });
  const head = [1n, BigInt(orders.length), ...headOf(state), state.isFunded ? 1n : 0n, 0n, 0n, state.supply, 5n];
  return concat([wordsOf(...head), ...runs]);
}

/** The answer of the state lenses. */
export function stateReply({ tokens, pairs, known, feeds, trial }: StateCall, state: MarketState): RpcReply {
  const addresses = tokens.map(({ token }) => toLowerAddress(token));
  const entries: { pool: ScriptedPool; words: bigint[] }[] = known.flatMap(({ key }, index) => {
    const id = numberToHex(BigInt.asUintN(160, key), { size: 20 });
    const pool = state.pools.find((other) => other.id === id);
    if (!pool) return [];
    const words = entryWords({ ...pairEntry, ...fieldsOf(pool), pair: undefined, candidatePool: index });
    return [{ pool, words }];
  });
  const statuses = pairs.map((packed, pair) => {
    const [a, b] = [addresses[Number(packed & 0xffn)], addresses[Number((packed >> 8n) & 0xffn)]];
    const found = rows.map((_, row) =>
      state.pools.find(
        (pool) => (pool.row ?? 0) === row && [a, b].includes(pool.token0) && [a, b].includes(pool.token1),
      ),
    );
    for (const [candidatePool, pool] of found.entries()) {
      if (pool) entries.push({ pool, words: entryWords({ ...pairEntry, ...fieldsOf(pool), pair, candidatePool }) });
    }
    return packStatuses(found.map((pool) => (pool ? 'filled' : 'no-pool')));
  });
  const head = [3n, 0n, ...headOf(state), state.baseFee, 1n, 0x1203n, state.supply, 0x1203n, 0n];
  const feedWords = [BigInt(feeds.length), ...feeds.flatMap(() => [0n, 0n, 0n, 0n])];
  const pairWords = [BigInt(pairs.length), BigInt(rows.length), ...statuses];
  const entriesAndGas = [BigInt(entries.length), ...entries.flatMap(({ words }) => words), 0n, 555n];
  const answer = toAnswer([...head, ...feedWords, ...pairWords, ...entriesAndGas]);
  return { result: trial ? concat([answer, trialWords(trial, addresses, entries, state)]) : answer };
}

/** Executes the direct pools of the first two tokens, the first one twice. */
function trialWords(
  { amount, payer, secondPayer }: NonNullable<StateCall['trial']>,
  [sold, bought]: readonly LowerAddress[],
  entries: readonly { pool: ScriptedPool }[],
  state: MarketState,
): Hex {
  const routes = entries.flatMap(({ pool }, index) =>
    [sold, bought].every((token) => [pool.token0, pool.token1].includes(token as LowerAddress)) ? [index] : [],
  );
  if (routes.length === 0) return wordsOf(0n);
  const orders = routes.map((entry, index) => ({
    ...{ amountIn: amount, payer, gasCap: 0n, secondPayer: index === 0 ? secondPayer : zeroAccount },
    legs: [
      {
        ...{ kind: 0n, shareBps: 10_000n, pool: entries[entry]?.pool.id ?? zeroAccount },
        ...{ tokenIn: sold ?? zeroAccount, tokenOut: bought ?? zeroAccount },
      },
    ],
  }));
  const packed = routes.map((entry) => 1n | (BigInt(entry) << 8n));
  return concat([wordsOf(BigInt(routes.length), ...packed), probeWords(orders, state)]);
}
