import { type Address, createTestClient, createWalletClient, http, parseAbi, parseEther } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  createOrderRunner,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxToken,
  startSandbox,
} from '../../sandbox/index.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import { findWallet } from '../support/findWallet.ts';
import { byShares } from './executed.ts';
import { engineOn, poolsOfPair, tokenOf, tradedTokens, withChainRestored } from './market.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const sender = '0x00000000000000000000000000000000000091fE';
const weth = parseAbi(['function deposit() payable', 'function transfer(address to, uint256 amount) returns (bool)']);

/** Transfers WETH to a pair without a swap. Any caller can withdraw it (`skim`), so no quote may count it. */
async function transferTo(pair: Address, amount: bigint): Promise<void> {
  const transport = http(chain.rpcUrl);
  const node = createTestClient({ mode: 'anvil', transport });
  const wallet = createWalletClient({ account: sender, transport });
  await node.setBalance({ address: sender, value: amount + parseEther('1') });
  await node.impersonateAccount({ address: sender });
  const call = { abi: weth, address: chain.wrappedNative, chain: null } as const;
  await wallet.writeContract({ ...call, functionName: 'deposit', value: amount });
  await wallet.writeContract({ ...call, functionName: 'transfer', args: [pair, amount] });
  await node.mine({ blocks: 1 });
}

test('behavior: a balance above the reserves of a pair does not change a quote', async () => {
  const { engine } = engineOn(chain);
  const wrapped = chain.wrappedNative;
  const pairs = chain.pools.filter((pool) => pool.venue.endsWith('-v2') && tradedTokens(chain, pool).includes(wrapped));
  expect(pairs.length).toBeGreaterThan(3);
  for (const pair of pairs) {
    const tokenOut = tradedTokens(chain, pair).find((token) => token !== wrapped) as Address;
    const quote = () => engine.quote({ chain: 'base', tokenIn: wrapped, tokenOut, size: { tokenIn: '3' } });
    // Without the gas, which differs between blocks.
    const comparable = ({ amountOut, depthAtSize, flags }: QuoteAnswer) => ({
      amountOut,
      depthAtSize,
      flags: flags.filter(({ code }) => code !== 'ROUTE_GAS'),
    });
    const before = comparable(await quote());
    await withChainRestored(chain, async () => {
      await transferTo(pair.pool as Address, parseEther('10'));
      expect(comparable(await quote())).toEqual(before);
    });
  }
});

// Both orders are executed: the first swap adds a surplus to the pair's reserves.
test.each([
  ['a surplus of a tenth of the reserve', '50000', 100_000n],
  ['a surplus that pays the second order more than the first', '1000', 10_000n],
])('worstCaseSlippageBps is the larger loss of two orders if a pair has %s', async (_, size, surplus) => {
  const [oak, usdc] = ['OAK', 'USDC'].map((symbol) => tokenOf(chain, symbol)) as [SandboxToken, SandboxToken];
  const [pair] = poolsOfPair(chain, oak.address, usdc.address);
  const builder = await reopenChain(chain, sandbox.wallets);
  await withChainRestored(chain, async () => {
    await builder.perform([transferOf(usdc.address, pair?.pool as Address, surplus * 10n ** 6n)]);
    const { engine } = engineOn(chain);
    const tokens = { tokenIn: oak.address, tokenOut: usdc.address };
    const answer = await engine.quote({ chain: 'base', ...tokens, size: { tokenIn: size } });
    const runner = await createOrderRunner(chain, findWallet(sandbox.wallets, 'trader'));
    const order = { legs: byShares(answer.route.legs), amountIn: answer.amountIn };
    const [first, second] = (await runner.tryOrders([order, order])).movements.map(({ received }) => received);
    expect(first).toBe(answer.amountOut);
    const price = Number(second) / 1e6 / Number(size);
    const worst = (1 - price / (answer.spotPrice ?? Number.NaN)) * 10_000;
    expect(answer.worstCaseSlippageBps).toBeCloseTo(Math.max(worst, answer.priceImpactBps ?? Number.NaN), 1);
  });
});
