import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  executeRoute,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { type EngineOnChain, engineOn, tokenOf, withChainRestored } from './market.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
let trader: SandboxWallet;
let engineOnBase: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  engineOnBase = engineOn(chain);
});
afterAll(() => sandbox?.close());

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
    const [tokenIn, tokenOut] = order.slice(0, 2).map((symbol) => tokenOf(chain, symbol).address) as [
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
    const used = await withChainRestored(chain, async () => {
      await executeRoute(chain, { legs: route.legs, amountIn, wallet: trader });
      return gasOfLastBlock();
    });
    expect((reported + intrinsicGas) / used).toBeGreaterThan(0.67);
    expect((reported + intrinsicGas) / used).toBeLessThan(1.33);
  },
);
