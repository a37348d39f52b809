import { type Address, formatUnits } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import {
  createOrderRunner,
  type OrderRunner,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { fillsByPart, mostOf } from './gridOfFills.ts';
import { ledgerToken } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, tokenOf } from './market.ts';

// Pools that only an execution can measure: a plugin of Algebra sets the fee before each swap, and a hook of Uniswap v4
// can change any amount. They are compared with swaps that the chain executes at many sizes.

const hooked = ledgerToken('SAMPLED', 2, taxedTokenArtifact, [[0, 0, 0]]);
const parts = 32;
const maxLossBps = 5;

let sandbox: Sandbox;
let chain: SandboxChain;
let runner: OrderRunner;
let onBase: EngineOnChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  const pair = [hooked.symbol, 'USDC'] as const;
  chain = await builder.list({
    tokens: [hooked],
    pools: [
      { venue: 'uniswap-v4', pair, usd: 300_000, tier: 3000, hook: 'dynamic-fee' },
      { venue: 'uniswap-v2', pair, usd: 250_000 },
      { venue: 'uniswap-v3', pair, usd: 250_000, tier: 3000 },
    ],
  });
  runner = await createOrderRunner(chain, sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet);
  onBase = engineOn(chain);
}, 60_000);
afterAll(() => sandbox?.close());

const quote = (tokenIn: Address, tokenOut: Address, size: string) =>
  onBase.engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });

const lossBps = (most: bigint, paid: bigint) => Number(((most - paid) * 100_000n) / most) / 10;

async function expectPaid({ route, amountIn, amountOut }: Awaited<ReturnType<typeof quote>>) {
  const { movements } = await runner.tryOrders([{ legs: route.legs, amountIn }]);
  expect(movements.map(({ received }) => received)).toEqual([amountOut]);
}

test.each(['5000', '20000'])('splits %s tokens over a pool with a hook and two others', async (size) => {
  const most = mostOf(await fillsByPart(runner, chain, [hooked.address, chain.usdc], BigInt(size) * 10n ** 18n, parts));
  // The first quote reads a new market, the second one a known one.
  for (let count = 0; count < 2; count++) {
    onBase.endpoint.requests = 0;
    const answer = await quote(hooked.address, chain.usdc, size);
    // The second one executes the plan in the next block, because its fee depends on the block.
    if (count === 1) expect(onBase.endpoint.requests).toBe(2);
    await expectPaid(answer);
    expect(answer.route.legs.map(({ venue }) => venue).sort()).toEqual(['uniswap-v2', 'uniswap-v3', 'uniswap-v4']);
    expect(lossBps(most, answer.amountOut)).toBeLessThan(maxLossBps);
  }
});

test('splits 39,000 USD of PALM over two pools with a plugin, one of them on the way to WETH', async () => {
  const [palm, usdc, weth] = [tokenOf(chain, 'PALM').address, chain.usdc, chain.wrappedNative];
  // A PALM is 14 USD.
  const size = 2786;
  const amountIn = BigInt(size) * 10n ** 18n;
  const [direct = []] = await fillsByPart(runner, chain, [palm, usdc], amountIn, parts);
  const [first = []] = await fillsByPart(runner, chain, [palm, weth], amountIn, parts);
  let most = 0n;
  for (const [part, bought] of first.entries()) {
    const over = bought && (await quote(weth, usdc, formatUnits(bought, 18))).amountOut;
    const sum = over + (direct[parts - part] ?? 0n);
    if (sum > most) most = sum;
  }
  for (let count = 0; count < 2; count++) {
    onBase.endpoint.requests = 0;
    const answer = await quote(palm, usdc, `${size}`);
    // The second one executes the plan in the next block, because its fee depends on the block.
    if (count === 1) expect(onBase.endpoint.requests).toBe(2);
    await expectPaid(answer);
    expect(lossBps(most, answer.amountOut)).toBeLessThan(maxLossBps);
  }
});
