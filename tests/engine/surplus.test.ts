import { type Address, createTestClient, createWalletClient, http, parseAbi, parseEther } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { engineOn, tradedTokens, withChainRestored } from './market.ts';

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
