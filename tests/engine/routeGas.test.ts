import { beforeAll, expect, test } from 'vitest';
import { executeRoute } from '../../sandbox/index.ts';
import { useBase } from '../support/useBase.ts';
import { type EngineOnChain, engineOn, tokenOf, withChainRestored } from './market.ts';

const base = useBase();
let engineOnBase: EngineOnChain;
beforeAll(() => {
  engineOnBase = engineOn(base.chain);
});

async function gasOfLastBlock(): Promise<number> {
  const call = { method: 'eth_getBlockByNumber', params: ['latest', false] };
  const [reply] = await engineOnBase.endpoint.send([call], { signal: AbortSignal.timeout(10_000) });
  return Number((reply as { result: { gasUsed: string } }).result.gasUsed);
}

/** Gas of a transaction before its first instruction; calldata costs more (EIP-2028). */
const intrinsicGas = 21_000;

test.each([
  ['WETH', 'USDC', '0.001'],
  ['WETH', 'USDC', '300'],
  ['USDC', 'WETH', '10000'],
  ['BIRCH', 'USDC', '100'],
  ['OAK', 'USDC', '100'],
  ['PALM', 'USDC', '100'],
  ['USDC', 'ASH', '50'],
  ['ASH', 'WETH', '10'],
] as const)(
  'default: the gas reported for %s to %s, size %s, is within a third of a transaction’s gas',
  async (...order) => {
    const [tokenIn, tokenOut] = order.slice(0, 2).map((symbol) => tokenOf(base.chain, symbol).address) as [
      `0x${string}`,
      `0x${string}`,
    ];
    const { amountIn, route, flags } = await engineOnBase.engine.quote({
      chain: 'base',
      tokenIn,
      tokenOut,
      size: { tokenIn: order[2] },
    });
    const reported = flags.find(({ code }) => code === 'ROUTE_GAS')?.facts?.gas as number;
    const used = await withChainRestored(base.chain, async () => {
      await executeRoute(base.chain, { legs: route.legs, amountIn, wallet: base.trader });
      return gasOfLastBlock();
    });
    expect((reported + intrinsicGas) / used).toBeGreaterThan(0.67);
    expect((reported + intrinsicGas) / used).toBeLessThan(1.33);
  },
);
