import type { LowerAddress } from '../../../engine/lowerAddress.ts';
import { quote } from '../../../engine/quote/answer/quote.ts';
import type { ChainData } from '../../../engine/quote/chainData.ts';
import type { Market } from '../../../engine/quote/market/market.ts';
import type { ExecutedPlan } from '../../../engine/quote/plan/choosePlan.ts';
import type { Fill } from '../../../engine/quote/plan/executionTypes.ts';
import type { OrderSize } from '../../../engine/quote/query/sizeOrder.ts';
import { toQuoteQuery } from '../../../engine/quote/query/toQuoteQuery.ts';
import type { QuoteRequest } from '../../../engine/quote/quoteTypes.ts';
import type { CandidatePool } from '../../../engine/venues/candidatePool.ts';
import { deployments } from '../../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../../engine/venues/families.ts';
import type { PoolStatus } from '../../../engine/venues/poolEntry.ts';

const { base } = deployments;
const candidatePools = toCandidatePools(base.venues);
const found = candidatePools.find(({ family }) => family === 'uniswap-v2') as CandidatePool;

/** A token that is no pricing asset, with 18 decimals. It is sold for USDC, with 6. */
export const stranger: LowerAddress = '0x000000000000000000000000000000000000abcd';
export const { usdc } = base;
export const blockTime = 1_700_000_000n;
export const sold = 1_000n * 10n ** 18n;

/** A sale of 1,000 tokens in one pair. @param pool the last digit of the pair's address */
export function fillOf(amountOut: bigint, pool = 'a', fields: Partial<Fill> = {}): Fill {
  const id: LowerAddress = `0x${pool.padStart(40, '0')}` as LowerAddress;
  const ref = { candidatePool: found, id, token0: stranger, token1: usdc };
  const leg = { pool: ref, tokenIn: stranger, tokenOut: usdc, shareBps: 10_000 };
  return {
    plan: { tokenIn: stranger, tokenOut: usdc, amountIn: sold, legs: [leg] },
    legs: [{ ...leg, amountIn: sold, arrived: sold, nominal: amountOut, amountOut }],
    ...{ amountOut, secondAmountOut: amountOut, gas: 100_000n },
    ...fields,
  };
}

/** The changes of a market: by default, 1,000 tokens pay 1,990 USDC at a mid of 2, and a second pair pays 1,980 USDC. */
export interface Scene extends Partial<Omit<Market, 'states' | 'size' | 'found'>> {
  query?: Partial<QuoteRequest>;
  size?: Partial<OrderSize>;
  /** `none`: no plan was executed. */
  found?: Partial<ExecutedPlan> | 'none';
  states?: object;
  /** Statuses of the candidate pools of one venue; all others have no pool. */
  venue?: string;
  status?: PoolStatus;
  /** Of tokenIn and tokenOut. */
  tokens?: readonly [object, object];
  executor?: ChainData['executor'];
  oldBlockMs?: number;
  /** Milliseconds from the block to the answer. */
  ageMs?: number;
}

const unsized: OrderSize = {
  ...{ amountIn: sold, requested: sold, cut: false, overflow: false, surveyed: false, feedRefused: false },
};

/** The answer to a query on Base in that market. */
export function quoteIn({ query, size, found, states, venue, status, tokens, ...scene }: Scene = {}) {
  const { executor, oldBlockMs, ageMs = 0, ...market } = scene;
  const best = fillOf(1_990_000_000n);
  const token = { hasCode: true, decimals: 18, supply: 0n };
  const statuses = candidatePools.map((each) => (each.venue === venue ? status : 'no-pool'));
  const asked = toQuoteQuery({
    ...{ chain: 'base', tokenIn: stranger, tokenOut: usdc, size: { tokenIn: '1000' } },
    ...query,
  });
  const read = {
    block: { number: 77n, timestamp: blockTime, baseFee: 10n ** 9n },
    sequencer: 'up',
    tokens: [
      { address: asked.tokenIn, ...token, ...tokens?.[0] },
      { address: asked.tokenOut, ...token, decimals: 6, ...tokens?.[1] },
    ],
    ...{ feeds: [], pools: [], unread: [] },
    pairs: [{ a: stranger, b: usdc, statuses }],
    ...states,
  } as unknown as Market['states'];
  const plan: ExecutedPlan = {
    ...{ best, single: (found !== 'none' && found?.best) || best, runnerUp: fillOf(1_980_000_000n, 'b') },
    ...{ depth: 5n * sold, isDepthLowerBound: false, mid: 2e-12, failed: [] },
    ...(found === 'none' ? {} : found),
  };
  return quote(
    { deployment: base, candidatePools, executor, oldBlockMs } as unknown as ChainData,
    asked,
    { states: read, size: { ...unsized, ...size }, found: found === 'none' ? undefined : plan, ...market },
    { ts: Number(blockTime) * 1_000 + ageMs, validUntil: Number(blockTime) * 1_000 + ageMs + 4_000 },
  );
}

export const codesIn = (scene: Scene) => quoteIn(scene).flags.map(({ code }) => code);
/** The rule that lowered the confidence. */
export const ruleIn = (scene: Scene) => {
  const { confidence, flags } = quoteIn(scene);
  const { rule } = flags.find(({ code }) => code === 'CONFIDENCE')?.facts ?? {};
  return [confidence, rule] as const;
};
