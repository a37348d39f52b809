import { isAddressEqual } from 'viem';
import type { WeightedState } from '../../engine/venues/balancerV2/weighted.ts';
import { swap } from '../../engine/venues/models.ts';
import type { SwapResult } from '../../engine/venues/poolModel.ts';
import type { PoolState } from '../../engine/venues/poolTypes.ts';
import {
  createOrderRunner,
  createPublishedQuoters,
  type OrderRunner,
  type PublishedQuoters,
  type QuoterAnswer,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
} from '../../sandbox/index.ts';
import { readHoldings } from './cases.ts';
import { seeded, sizeBetween, tradedTokens } from './market.ts';
import { describePool, listPools } from './poolMarket.ts';
import { createPoolStates, readTime } from './poolStates.ts';

/** Result of the comparison of the pool maths with the chain. `faults` contains each difference. */
export interface PoolProof {
  cases: number;
  /** Compared with the venue's published quoter, and with an execution of the pool. */
  quoted: number;
  executed: number;
  /** Sizes that the pool cannot take, by the maths and by the chain. */
  beyond: number;
  crossings: number;
  /** Executed swaps whose state afterwards was read and compared. */
  states: number;
  venues: Record<string, number>;
  /** Swaps that agreed, a few of each kind, for the unit tests of the maths. */
  recorded: Record<string, RecordedSwap[]>;
  faults: string[];
}

/** The chain's output of a swap, and the pool's state after it if the swap was kept. */
export interface RecordedSwap {
  venue: string;
  state: PoolState;
  zeroForOne: boolean;
  amountIn: bigint;
  /** Undefined when the pool does not take the whole amount. */
  amountOut: bigint | undefined;
  after?: string | undefined;
}

interface Case {
  pool: SandboxPool;
  state: PoolState;
  zeroForOne: boolean;
  tokenIn: `0x${string}`;
  tokenOut: `0x${string}`;
  amountIn: bigint;
  result: SwapResult<PoolState> | undefined;
}

/** Plugins set the fee within the swap, so the engine has no formula and executes swaps of these pools. */
export const venuesWithoutMaths: readonly string[] = ['quickswap-v4'];

const casesAtOnce = 80;
const sizesPerSide = 12;
const tradesBetween = 8;
const maxQuoted = (1n << 128n) - 1n;

/**
 * Compares generated sizes in generated pools with the published quoters, or with executions if there is no quoter or the
 * maths rejects the size. Keeps some trades between rounds, so that prices, ticks and dynamic fees move.
 */
export async function provePools(
  sandboxChain: SandboxChain,
  wallets: readonly SandboxWallet[],
  { cases: count, seed }: { cases: number; seed: number },
): Promise<PoolProof> {
  const random = seeded(seed);
  const trader = wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  const chain = await listPools(sandboxChain, wallets, random);
  const [states, quoters, runner] = await Promise.all([
    createPoolStates(chain),
    createPublishedQuoters(chain),
    createOrderRunner(chain, trader),
  ]);
  let holdings: Awaited<ReturnType<typeof readHoldings>> = new Map();
  const pools = states.pools.filter(({ venue }) => !venuesWithoutMaths.includes(venue));
  const held = (token: string) =>
    holdings.get(
      [...holdings.keys()].find((known) => isAddressEqual(known, token as `0x${string}`)) as `0x${string}`,
    ) ?? 0n;
  const proof: PoolProof = {
    cases: 0,
    quoted: 0,
    executed: 0,
    beyond: 0,
    crossings: 0,
    states: 0,
    venues: {},
    recorded: {},
    faults: [],
  };

  while (proof.cases < count) {
    // Trades of earlier rounds changed the balances.
    holdings = await readHoldings(chain, trader.address);
    const time = await readTime(chain);
    const read = await states.read(time);
    const generated = shuffled(pools, random).flatMap((pool) =>
      casesOf(chain, pool, read.get(pool.pool) as PoolState, random),
    );
    for (let at = 0; at < generated.length && proof.cases < count; at += casesAtOnce) {
      await compare(generated.slice(at, at + casesAtOnce), { quoters, runner, time, held, proof });
    }
    for (let trade = 0; trade < tradesBetween; trade++)
      await keepTrade(chain, { ...states, pools }, { runner, held, random, proof });
  }
  return proof;
}

function casesOf(chain: SandboxChain, pool: SandboxPool, state: PoolState, random: () => number): Case[] {
  const tokens = tradedTokens(chain, pool);
  return [true, false].flatMap((zeroForOne) => {
    const [tokenIn, tokenOut] = zeroForOne ? tokens : ([tokens[1], tokens[0]] as const);
    return sizesOf(state, zeroForOne, random).map((amountIn) => {
      const result = swap(state, zeroForOne, amountIn);
      return { pool, state, zeroForOne, tokenIn, tokenOut, amountIn, result };
    });
  });
}

/** Sizes from one unit to more than the pool accepts, and on both sides of ticks. */
function sizesOf(state: PoolState, zeroForOne: boolean, random: () => number): bigint[] {
  const most = maxAccepted(state, zeroForOne);
  const sizes = new Set<bigint>([1n + BigInt(Math.floor(random() * 9))]);
  if (random() < 0.3) sizes.add(most + 1n).add(most * BigInt(2 + Math.floor(random() * 100)));
  for (let attempt = 0; attempt < 2 * sizesPerSide && sizes.size < sizesPerSide; attempt++) {
    const edge =
      random() < 0.7 ? firstCrossing(state, zeroForOne, 1 + Math.floor(random() ** 2 * 24), most) : undefined;
    if (edge !== undefined) {
      sizes.add(edge + BigInt(Math.floor(random() * 3) - 1));
      sizes.add(edge + (edge * BigInt(Math.floor(random() * 1000))) / 10_000n);
    }
    sizes.add(sizeBetween(most + 1n, random));
  }
  return [...sizes].filter((size) => size > 0n && size <= maxQuoted).slice(0, sizesPerSide);
}

/** The largest size that the pool accepts; for a pair, a thousand times its reserve. */
function maxAccepted(state: PoolState, zeroForOne: boolean): bigint {
  if (state.kind === 'opaque') return 1n;
  if (state.kind === 'weighted') {
    return lastPassing(zeroForOne ? state.balance0 : state.balance1, (size) => accepts(state, zeroForOne, size));
  }
  if (state.kind !== 'concentrated') return (zeroForOne ? state.reserve0 : state.reserve1) * 1000n;
  return lastPassing(1n << 127n, (size) => swap(state, zeroForOne, size) !== undefined);
}

/** Whether a weighted pool accepts the size. It accepts the smallest sizes, although their output rounds to 0. */
const accepts = (state: PoolState, zeroForOne: boolean, size: bigint) =>
  size < 1_000_000n || swap(state, zeroForOne, size) !== undefined;

/** The smallest size that crosses `count` ticks; undefined if none does. */
function firstCrossing(state: PoolState, zeroForOne: boolean, count: number, most: bigint): bigint | undefined {
  if (state.kind !== 'concentrated') return undefined;
  const crossed = (size: bigint) => swap(state, zeroForOne, size)?.ticksCrossed ?? count;
  if (crossed(most) < count) return undefined;
  return lastPassing(most, (size) => crossed(size) < count) + 1n;
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

function lastPassing(limit: bigint, passes: (size: bigint) => boolean): bigint {
  let [low, high] = [0n, limit];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (passes(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

interface Comparison {
  quoters: PublishedQuoters;
  runner: OrderRunner;
  time: number;
  held(token: string): bigint;
  proof: PoolProof;
}

async function compare(cases: readonly Case[], comparison: Comparison): Promise<void> {
  const { quoters, time, proof } = comparison;
  const answers = await quoters.quote(cases, time);
  for (const [index, one] of cases.entries()) {
    let answer = answers[index] as QuoterAnswer;
    // An expensive quote uses up the gas of the quotes after it.
    if (answer === 'refused' && one.result) [answer = 'refused'] = await quoters.quote([one], time);
    const fault = await faultOf(one, answer, comparison);
    proof.cases += 1;
    proof.venues[one.pool.venue] = (proof.venues[one.pool.venue] ?? 0) + 1;
    proof.crossings += one.result?.ticksCrossed ?? 0;
    if (fault) {
      proof.faults.push(
        `${describePool(one.pool)} ${one.zeroForOne ? '0→1' : '1→0'} ${one.amountIn}: ${one.result?.amountOut} by the maths, ${fault}`,
      );
    }
  }
}

/** Maximum number of recorded swaps of each kind. */
const maxRecorded = { concentrated: 1, pair: 6, stable: 20, weighted: 2, opaque: 0 };

/** Records one swap of each rule, direction, count of crossed ticks and outcome; more for pools without ticks. */
function record({ pool, state, zeroForOne, amountIn, result }: Case, { recorded }: PoolProof, after?: string): void {
  const crossed = result && Math.min(result.ticksCrossed, 3);
  const rule = state.kind === 'weighted' ? ruleOfWeighted(state, zeroForOne, amountIn) : 'rule' in state && state.rule;
  const kind = [state.kind, rule, zeroForOne, crossed, after !== undefined].join(' ');
  recorded[kind] ??= [];
  if (recorded[kind].length < maxRecorded[state.kind])
    recorded[kind].push({ venue: pool.venue, state, zeroForOne, amountIn, amountOut: result?.amountOut, after });
}

/** The weights, the release, and whether the size is above 2 % of the balance: these select the steps of the power. */
function ruleOfWeighted(state: WeightedState, zeroForOne: boolean, amountIn: bigint): string {
  const isLarge = amountIn * 50n > (zeroForOne ? state.balance0 : state.balance1);
  return `${state.weight0} ${state.hasFastPowers} ${isLarge}`;
}

async function faultOf(one: Case, answer: QuoterAnswer, comparison: Comparison): Promise<string | undefined> {
  const { proof } = comparison;
  const compared = (same: boolean, fault: string): string | undefined => {
    if (!same) return fault;
    record(one, proof);
    return undefined;
  };
  if (typeof answer === 'bigint' && one.result) {
    proof.quoted += 1;
    return compared(answer === one.result.amountOut, `${answer} by the quoter`);
  }
  if (answer === 'refused') {
    proof.beyond += 1;
    return compared(!one.result, 'refused by the quoter');
  }
  // Execute the swap if there is no quoter, or if the quoter may have returned a partial fill.
  if (comparison.held(one.tokenIn) < one.amountIn) return undefined;
  const { movements } = await comparison.runner.tryOrders([orderOf(one)]);
  proof.executed += 1;
  if (!one.result) proof.beyond += 1;
  const received = movements[0]?.received;
  return compared(received === one.result?.amountOut || (received === 0n && !one.result), `${received} paid`);
}

const orderOf = ({ pool, tokenIn, tokenOut, amountIn }: Case) => ({
  legs: [{ venue: pool.venue, pool: pool.pool, tokenIn, tokenOut }],
  amountIn,
});

/** Executes a swap that is kept, and compares its output and the state after it with the maths. */
async function keepTrade(
  chain: SandboxChain,
  states: Awaited<ReturnType<typeof createPoolStates>>,
  {
    runner,
    held,
    random,
    proof,
  }: { runner: OrderRunner; held(token: string): bigint; random: () => number; proof: PoolProof },
): Promise<void> {
  const seconds = 1 + Math.floor(random() * 3000);
  const read = await states.read((await readTime(chain)) + seconds);
  const pool = states.pools[Math.floor(random() * states.pools.length)] as SandboxPool;
  const state = read.get(pool.pool) as PoolState;
  const candidates = casesOf(chain, pool, state, random).filter(
    ({ amountIn, tokenIn, result }) => result && result.amountOut > 0n && amountIn < held(tokenIn) / 50n,
  );
  const chosen = candidates[Math.floor(random() * candidates.length)];
  if (!chosen) return;
  const { received } = await runner.keepOrder(orderOf(chosen), seconds);
  const after = (await states.read(await readTime(chain))).get(pool.pool) as PoolState;
  proof.states += 1;
  const about = `${describePool(pool)} ${chosen.zeroForOne ? '0→1' : '1→0'} ${chosen.amountIn}`;
  if (received !== chosen.result?.amountOut)
    proof.faults.push(`${about}: ${received} paid, ${chosen.result?.amountOut}`);
  const [expected, found] = [chosen.result?.state, after].map(changingPart);
  if (expected !== found) proof.faults.push(`${about}: left ${found}, not ${expected}`);
  else record(chosen, proof, found);
}

/** The part of a state that a swap changes, as text. */
function changingPart(state: PoolState | undefined): string {
  if (state?.kind === 'concentrated') return `${state.sqrtPriceX96} ${state.tick} ${state.liquidity}`;
  if (state?.kind === 'weighted') return `${state.balance0} ${state.balance1}`;
  return state && 'reserve0' in state ? `${state.reserve0} ${state.reserve1}` : '';
}
