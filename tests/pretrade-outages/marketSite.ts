import type { SandboxPool } from '../../sandbox/index.ts';

/** Responses as in DexScreener's documentation, with every seeded pool of a token at a constant price. */
export function marketPagesOf(pools: readonly SandboxPool[]): (path: string) => Promise<unknown> {
  return async (path) => {
    const token = path.split('/').at(-1)?.toLowerCase() ?? '';
    return pools
      .filter(({ token0, token1 }) => [token0, token1].some((side) => side.toLowerCase() === token))
      .map(({ pool, token0, token1 }) => {
        const [baseToken, quoteToken] = token0.toLowerCase() === token ? [token0, token1] : [token1, token0];
        return {
          chainId: 'base',
          pairAddress: pool,
          baseToken: { address: baseToken },
          quoteToken: { address: quoteToken },
          priceUsd: '1.25',
          volume: { h24: 1_000.5 },
          liquidity: { usd: 50_000 },
          marketCap: 1_250_000,
        };
      });
  };
}
