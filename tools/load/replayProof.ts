import { type Address, type Hex, numberToHex } from 'viem';
import {
  decodeStates,
  deployments,
  kinds,
  type Pool,
  type PoolState,
  swap,
  toCandidatePools,
  toLowerAddress,
  toStateQuery,
} from '../../engine/tools/index.ts';

const wordChars = 64;
/** Words of the answer's head, of a PlanOrder and of a PlanLeg (contracts/lens/PlanProbes.sol, PlanTypes.sol). */
const [headWords, orderWords, legWords] = [10, 7, 8];
/** Statuses of a run (contracts/lens/PlanTypes.sol). */
const [filled, reverted] = [1n, 3n];
/** Any plausible value: the service only ranks plans by it. */
const gasPerLeg = 150_000n;

interface Leg {
  kind: number;
  pool: bigint;
  tokenIn: bigint;
  tokenOut: bigint;
  fee: number;
  spacing: bigint;
  hooks: bigint;
  shareBps: bigint;
}

/**
 * Creates a function that computes the answer of a probe by pool maths on recorded states. The service compares
 * executed amounts with its plans, so a recorded answer would not match.
 * @param states the recorded answer of StateLens about tokenIn and tokenOut
 */
export function createProofReplay(states: Hex, tokenIn: Address, tokenOut: Address) {
  const deployment = deployments.base;
  const candidatePools = toCandidatePools(deployment.venues);
  const query = toStateQuery(deployment, {
    tokenIn: toLowerAddress(tokenIn),
    tokenOut: toLowerAddress(tokenOut),
  });
  const { pools } = decodeStates(states, query, candidatePools, deployment.wrappedNative);
  const isOf = ({ ref: { candidatePool, id, token0, token1 } }: Pool, leg: Leg) => {
    if (candidatePool.kind !== leg.kind) return false;
    if (leg.kind < kinds.v4) return BigInt(id) === leg.pool;
    const isSameKey = candidatePool.fee === leg.fee && BigInt(candidatePool.tickSpacing) === leg.spacing;
    const tokens = [BigInt(token0), BigInt(token1)];
    return (
      isSameKey &&
      BigInt(candidatePool.hooks) === leg.hooks &&
      tokens.includes(leg.tokenIn) &&
      tokens.includes(leg.tokenOut)
    );
  };

  /** Executes a plan. Updates `states` to the states after it. @returns the words of the run */
  function run(
    amountIn: bigint,
    legs: readonly Leg[],
    tokens: readonly [bigint, bigint],
    states: Map<Pool, PoolState>,
  ) {
    const held = new Map([[tokens[0], amountIn]]);
    const sold = new Map<bigint, bigint>();
    const words: bigint[] = [];
    for (const [index, leg] of legs.entries()) {
      const [total, spent] = [held.get(leg.tokenIn) ?? 0n, sold.get(leg.tokenIn) ?? 0n];
      const isLast = !legs.some((later, at) => at > index && later.tokenIn === leg.tokenIn);
      const amount = isLast ? total - spent : (total * leg.shareBps) / 10_000n;
      const pool = pools.find((candidate) => isOf(candidate, leg));
      const result = pool && swap(states.get(pool) ?? pool.state, leg.tokenIn === BigInt(pool.ref.token0), amount);
      if (!pool || !result) return [reverted, BigInt(index), 0n, 0n, 0n, ...legs.flatMap(() => [0n, 0n, 0n, 0n])];
      states.set(pool, result.state);
      sold.set(leg.tokenIn, spent + amount);
      held.set(leg.tokenOut, (held.get(leg.tokenOut) ?? 0n) + result.amountOut);
      words.push(amount, amount, result.amountOut, result.amountOut);
    }
    const count = BigInt(legs.length);
    return [filled, count, 0n, held.get(tokens[1]) ?? 0n, count * gasPerLeg, ...words];
  }

  /**
   * @param data calldata of `probe`
   * @param recorded a recorded answer, whose head is used
   */
  return (data: Hex, recorded: Hex): Hex => {
    const word = (index: number) => BigInt(`0x${data.slice(10 + wordChars * index, 10 + wordChars * (index + 1))}`);
    const [ordersAt, legsAt] = [Number(word(2)) / 32, Number(word(3)) / 32];
    const head = recorded.slice(2, 2 + wordChars * headWords);
    const words: bigint[] = [];
    let next = legsAt + 1;
    for (let order = 0; order < Number(word(ordersAt)); order++) {
      const at = ordersAt + 1 + order * orderWords;
      const legs = Array.from({ length: Number(word(at)) }, (_, index): Leg => {
        const own = next + index * legWords;
        const [kind, pool, tokenIn, tokenOut] = [Number(word(own)), word(own + 1), word(own + 2), word(own + 3)];
        const [fee, spacing, hooks, shareBps] = [Number(word(own + 4)), word(own + 5), word(own + 6), word(own + 7)];
        return { kind, pool, tokenIn, tokenOut, fee, spacing: BigInt.asIntN(256, spacing), hooks, shareBps };
      });
      next += legs.length * legWords;
      const states = new Map<Pool, PoolState>();
      const tokens = [word(at + 2), word(at + 3)] as const;
      const runs = word(at + 6) === 0n ? 1 : 2;
      for (let count = 0; count < runs; count++) words.push(...run(word(at + 4), legs, tokens, states));
    }
    const count = numberToHex(word(ordersAt), { size: 32 }).slice(2);
    const body = words.map((value) => value.toString(16).padStart(wordChars, '0')).join('');
    return `0x${head.slice(0, wordChars)}${count}${head.slice(2 * wordChars)}${body}`;
  };
}
