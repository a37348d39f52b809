import type { Hex } from 'viem';
import { unpackWords } from '../../engine/chain/packedWords.ts';
import type { RpcEndpoint } from '../../engine/index.ts';
import type { PoolPlan, SandboxChain } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver } from './market.ts';

/** A fee tier of a venue on Base's sandbox in which anyone can open a pool. */
export interface FreeTier {
  venue: string;
  tier: number;
  spacing: number;
  native?: boolean;
  generation?: 1 | 2 | 3;
}

export interface DustShape {
  /** Difference of the first token's price from the market price. */
  skewBps: number;
  /** Total value of all positions. */
  usd?: number;
  /** Positions of one tick spacing each. */
  positions?: number;
  /** Side of the positions: below the price, where a seller of the first token trades, or above it. */
  side: 'below' | 'above';
}

/** A pool at a price that the attacker chooses. Its liquidity is dust in many adjacent positions. */
export function dustPool(
  { venue, tier, spacing, ...options }: FreeTier,
  pair: readonly [string, string],
  { skewBps, usd = 2, positions = 60, side }: DustShape,
): PoolPlan {
  // `usd` of a step is the depth of the same liquidity over the full range; one spacing holds spacing / 20,000 of it.
  const usdOfPosition = Math.max(
    1,
    Math.round((usd / positions) * (20_000 / spacing) * Math.min(1, 1 / (1 + skewBps / 10_000))),
  );
  const direction = side === 'below' ? -1 : 1;
  const rangeAt = (index: number) => {
    const [near, far] = [index + 0.3, index + 0.7].map((steps) => 1.0001 ** (direction * spacing * steps)) as [
      number,
      number,
    ];
    return [Math.min(near, far), Math.max(near, far)] as const;
  };
  return {
    venue,
    tier,
    ...options,
    pair,
    skewBps,
    usd: 2,
    range: rangeAt(0),
    steps: Array.from({ length: positions }, (_, index) => ({ usd: usdOfPosition, range: rangeAt(index) })),
  };
}

/** An engine, and the gas that its last quote used in the node for pool states and executions. */
export function meteredEngine(chain: SandboxChain) {
  const inner = loopbackEndpoint(chain.rpcUrl);
  const meter = { gas: 0 };
  const endpoint: RpcEndpoint = {
    label: inner.label,
    async send(calls, options) {
      const replies = await inner.send(calls, options);
      for (const reply of replies) {
        const words = 'result' in reply && typeof reply.result === 'string' && unpackWords(reply.result as Hex);
        if (words && words.length > 2 + 64 * 10) meter.gas += gasOf(words);
      }
      return replies;
    },
  };
  const engine = engineOver(chain, endpoint);
  const quote: typeof engine.quote = (query, options) => {
    meter.gas = 0;
    return engine.quote(query, options);
  };
  return { engine: { ...engine, quote }, meter };
}

/**
 * Gas is the last word of the state lens's result, whose second word is 0, and the tenth word of the plan lens's
 * result.
 */
function gasOf(words: Hex): number {
  const word = (index: number) => BigInt(`0x${words.slice(2 + 64 * index, 2 + 64 * (index + 1))}`);
  return Number(word(1) === 0n ? BigInt(`0x${words.slice(-64)}`) : word(9));
}
