import { beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { Engine, QuoteRequest } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn } from './market.ts';
import { keyOf, openV4 } from './openV4Pool.ts';

// A first quote finds no pool of the token. The next one must find a pool that was created in between.

const plain = (symbol: string) => ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]);
const [odd, priced] = [plain('LATEODD'), plain('LATEPRICED')];

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({ tokens: [odd, priced], pools: [] });
});

const sell = (engine: Engine, { address }: { address: `0x${string}` }, size: QuoteRequest['size']) =>
  engine.quote({ chain: 'base', tokenIn: address, tokenOut: chain.usdc, size });

test('after NO_ROUTE, finds a new pool that only logs contain', async () => {
  const { engine } = engineOn(chain);
  for (let round = 0; round < 2; round++) {
    expect((await sell(engine, odd, { tokenIn: '100' })).amountOut).toBe(0n);
  }
  const pool = await openV4(opened.builder, odd.address, keyOf(chain, odd.address, 2500, 50), 100_000);
  const answer = await sell(engine, odd, { tokenIn: '100' });
  expect(answer.route.pools).toEqual([pool.pool]);
});

test('after USD sizing failed for lack of a price, finds a new pool that prices the token', async () => {
  const { engine } = engineOn(chain);
  for (let round = 0; round < 2; round++) {
    const unpriced = await sell(engine, priced, { usd: '100' });
    expect(unpriced.flags.map(({ code }) => code)).toContain('USD_PRICE_SOURCE');
    expect(unpriced.amountIn).toBe(0n);
  }
  chain = await opened.builder.list({
    tokens: [priced],
    pools: [{ venue: 'uniswap-v2', usd: 300_000, pair: ['LATEPRICED', 'USDC'] }],
  });
  const answer = await sell(engine, priced, { usd: '100' });
  expect(Number(answer.amountIn) / 1e18).toBeCloseTo(50, 3);
  expect(answer.amountOut).toBeGreaterThan(0n);
});
