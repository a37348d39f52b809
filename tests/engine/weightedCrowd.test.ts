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

// Hostile weighted pools of all routing assets, beside an honest one of WETH and DAI that a route goes through. Each quote
// of the chain reads the pools between routing assets, so their number must not make it larger.

const { POL: WPOL, ETH: WETH, BTC: WBTC } = usdPrices;
const market: Record<string, number> = { WPOL, WETH, WBTC, USDC: 1, 'USDC.e': 1, USDT: 1, DAI: 1 };
const symbols = Object.keys(market);
const poolsOfAsset = 5;
/** USD of the honest pool. */
const honestUsd = 400_000;
/** Selling 300 HASWETH for HASDAI, over WETH and DAI. */
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

/** The second quote of a market, with the bytes and the gas of its request. */
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

/** Opens pools of all assets, `poolsOfAsset` for each asset; `ownWeight` is its percentage in these. */
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
  ['that hold more WETH and DAI, but little of their counterparts', 3 * honestUsd, 94, 1, 2500],
  ['that are deeper and charge 9 %', 7 * honestUsd, 16, 1, 90_000],
])(
  'pools %s neither displace the honest pool nor make a quote 1.5 times as large',
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
