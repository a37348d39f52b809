import { beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { RpcCall } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { usdPrices } from '../../sandbox/tokens/usdPrices.ts';
import { traceGas } from '../../tools/bench/lensGas.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';
import { openWeighted } from './weightedMarket.ts';

// Hostile weighted pools of all routing assets, beside an honest one of WETH and DAI that a route uses. Each quote of the
// chain reads pools of routing assets, so requests must not grow with their number.

const { POL: WPOL, ETH: WETH, BTC: WBTC } = usdPrices;
const market: Record<string, number> = { WPOL, WETH, WBTC, USDC: 1, 'USDC.e': 1, USDT: 1, DAI: 1 };
const symbols = Object.keys(market);
const poolsOfAsset = 5;
/** USD of the honest pool. */
const honestUsd = 400_000;
/** Amounts of HASWETH that are sold for HASDAI, over WETH and DAI. */
const sizes = ['300', '310'] as const;

const opened = useOpenChain('polygon');
let chain: SandboxChain;
let honest: string;

beforeAll(async () => {
  const tokens = ['HASWETH', 'HASDAI'].map((symbol) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]));
  const listed = await opened.builder.list({
    tokens,
    pools: [
      { venue: 'uniswap-v3', pair: ['HASWETH', 'WETH'], usd: 400_000, tier: 3000 },
      { venue: 'uniswap-v3', pair: ['HASDAI', 'DAI'], usd: 400_000, tier: 3000 },
    ],
  });
  const plan = { symbols: ['WETH', 'DAI'], weights: [50, 50], usd: honestUsd, prices: { ...market, WETH: WETH * 1.1 } };
  ({ chain, id: honest } = await openWeighted(opened.builder, listed, plan));
}, 120_000);

/** The second quote of a market, with the gas, sent bytes and number of its requests. */
async function measure(listed: SandboxChain) {
  const endpoint = loopbackEndpoint(listed.rpcUrl);
  let calls: RpcCall[] = [];
  const recording = {
    label: endpoint.label,
    send: (sent: readonly RpcCall[], options: { signal: AbortSignal }) => {
      calls.push(...sent);
      return endpoint.send(sent, options);
    },
  };
  const engine = engineOver(listed, recording);
  const quoteOf = (tokenIn: string) =>
    engine.quote({
      chain: 'polygon',
      tokenIn: tokenOf(listed, 'HASWETH').address,
      tokenOut: tokenOf(listed, 'HASDAI').address,
      size: { tokenIn },
    });
  await quoteOf(sizes[0]);
  calls = [];
  const requests = endpoint.requests;
  const answer = await quoteOf(sizes[1]);
  const { sent } = endpoint.lastBytes;
  return { answer, gas: await traceGas(listed, calls), sent, requests: endpoint.requests - requests };
}

/**
 * Opens `poolsOfAsset` pools for each asset. Each pool contains all assets.
 * @param usd value of each pool
 * @param ownWeight percentage of the pool's own asset
 * @param skew factor on the price of every second asset
 */
async function addHostile(usd: number, ownWeight: number, skew: number, feePips: number): Promise<SandboxChain> {
  let crowded = chain;
  const rest = Math.floor((100 - ownWeight) / (symbols.length - 1));
  for (let pool = 0; pool < poolsOfAsset * symbols.length; pool += 1) {
    const own = pool % symbols.length;
    const weights = symbols.map((_, at) => (at === own ? 100 - rest * (symbols.length - 1) : rest));
    const prices = Object.fromEntries(
      symbols.map((symbol, at) => [symbol, (market[symbol] ?? 1) * (at % 2 === pool % 2 ? skew : 1)]),
    );
    ({ chain: crowded } = await openWeighted(opened.builder, crowded, { symbols, weights, usd, prices, feePips }));
  }
  return crowded;
}

test.each([
  ['of dust, priced 20 % off', 200, 16, 1.2, 2500],
  ['with 94 % of their weight in one asset', 3 * honestUsd, 94, 1, 2500],
  ['that are deeper and charge 9 %', 7 * honestUsd, 16, 1, 90_000],
])(
  'pools %s do not displace the honest pool, and a quote sends and uses less than 1.5 times the bytes and gas',
  async (_, ...pools) => {
    const before = await measure(chain);
    expect(before.answer.route.pools).toContain(honest);
    await withChainRestored(chain, async () => {
      const crowded = await addHostile(...pools);
      const after = await measure(crowded);
      expect(after.answer.route.pools).toContain(honest);
      expect(after.answer.amountOut).toBeGreaterThanOrEqual(before.answer.amountOut);
      const paid = await executed(crowded, after.answer.route.legs, after.answer.amountIn, opened.trader);
      expect(paid?.received).toBe(after.answer.amountOut);
      expect(after.requests).toBe(before.requests);
      for (const part of ['sent', 'gas'] as const) expect(after[part] / before[part], part).toBeLessThan(1.5);
    });
  },
  120_000,
);
