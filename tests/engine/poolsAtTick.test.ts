import { encodeFunctionData, numberToHex, parseUnits } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { poolIdOf, type V4PoolKey } from '../../engine/venues/uniswapV4/poolKey.ts';
import { type Action, makerAddress, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn } from './market.ts';
import { keyOf, opening, v4Abi } from './openV4Pool.ts';

// Pools are ranked by the amount that their liquidity pays up to the next multiple of the tick spacing. If the price is at
// a multiple, this amount is zero for one of the two tokens. Anyone can move a price there, and open dust pools for cents.

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b'; // Uniswap v4's PoolManager on Base
const tokens = ['EDGE1', 'EDGE2', 'EDGE3', 'EDGE4'].map((symbol) =>
  ledgerToken(symbol, 2, taxedTokenArtifact, [[0, 0, 0]]),
);

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({ tokens, pools: [] });
});

/** Opens a pool of about 500,000 USD on each side, whose price is just above or below a multiple of its tick spacing. */
function openAtTick(key: V4PoolKey, usdPerUnit: number, isBelow: boolean): Action[] {
  const tick = Math.round(Math.log(usdPerUnit) / Math.log(1.0001) / key.tickSpacing) * key.tickSpacing;
  const price = BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 96 * (isBelow ? 1 - 1e-9 : 1 + 1e-9)));
  const edge = Math.floor(887_272 / key.tickSpacing) * key.tickSpacing;
  const range = { tickLower: -edge, tickUpper: edge };
  const params = { ...range, liquidityDelta: parseUnits('0.35', 18), salt: numberToHex(0, { size: 32 }) };
  const initialize = encodeFunctionData({ abi: v4Abi, functionName: 'initialize', args: [key, price] });
  const add = { abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity' } as const;
  return [
    { to: manager, data: initialize },
    { to: makerAddress, data: encodeFunctionData({ ...add, args: [manager, key, params] }) },
  ];
}

test.each(tokens.map(({ address, symbol }, index) => ({ address, symbol, side: index % 2 ? 'above' : 'below' })))(
  'thirty dust pools do not displace a pool of $symbol whose price is just $side a multiple of its tick spacing',
  async ({ address, side }) => {
    const key = keyOf(chain, address, 2500, 50);
    await opened.builder.perform(openAtTick(key, key.currency0 === address ? 2e-12 : 0.5e12, side === 'below'));
    const pool = { chain: 'base', venue: 'uniswap-v4', pool: poolIdOf(key), key } as const;
    chain.pools.push({ ...pool, token0: key.currency0, token1: key.currency1 } as SandboxPool);
    const quote = () =>
      engineOn(chain).engine.quote({
        chain: 'base',
        tokenIn: address,
        tokenOut: chain.usdc,
        size: { tokenIn: '100' },
      });
    const clean = await quote();
    expect(clean.amountOut).toBeGreaterThan(190_000_000n);
    const dust = Array.from({ length: 30 }, (_, at) => keyOf(chain, address, 100 + at, 30 + at));
    await opened.builder.perform(dust.flatMap((dustKey) => opening(dustKey, address, 2)));
    const answer = await quote();
    expect(answer.route.pools).toEqual([pool.pool]);
    const paid = await executed(chain, answer.route.legs, answer.amountIn, opened.trader);
    expect([paid?.received, answer.confidence]).toEqual([clean.amountOut, clean.confidence]);
  },
);
