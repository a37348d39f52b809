import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { type Quote, toTransaction } from '../../client/index.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { toWire } from '../../router/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { readContract } from '../../sandbox/testing/readContract.ts';
import { ledgerToken } from '../engine/ledgerToken.ts';
import { engineOn } from '../engine/market.ts';
import { useOpenChain } from '../support/useOpenChain.ts';

/** Taxes transfers between accounts by 3 %, and neither purchases nor sales. */
const token = ledgerToken('BETWEEN', 2, taxedTokenArtifact, [[0, 0, 300]]);
const opened = useOpenChain('base');

test('behavior: a split purchase pays the taker directly, without a tax on transfers between accounts', async () => {
  const pair = ['BETWEEN', 'USDC'] as const;
  const chain = await opened.builder.list({
    tokens: [token],
    pools: [
      { venue: 'uniswap-v3', tier: 3000, pair, usd: 100_000 },
      { venue: 'uniswap-v3', tier: 500, pair, usd: 90_000 },
      { venue: 'uniswap-v2', pair, usd: 80_000 },
    ],
  });
  const pools = chain.pools.filter(({ token0, token1 }) => [token0, token1].includes(token.address));
  const { abi } = taxedTokenArtifact;
  const marks = pools.map(({ pool }) => ({
    to: token.address,
    data: encodeFunctionData({ abi, functionName: 'markPool', args: [pool as Address] }),
  }));
  await opened.builder.perform(marks);

  const order = { chain: 'base', tokenIn: chain.usdc, tokenOut: token.address, size: { tokenIn: '9000' } } as const;
  const quote = JSON.parse(JSON.stringify(toWire(await engineOn(chain).engine.quote(order)))) as Quote;
  expect(quote.route.legs.length).toBeGreaterThan(1);
  const taker = opened.trader.address;
  const { approvals, minAmountOut, ...swap } = toTransaction(quote, { taker, slippageBps: 0 });

  const node = createNodeClient(chain.rpcUrl);
  await node.call('anvil_impersonateAccount', [taker]);
  const send = async ({ to, data }: { to: Address; data: Hex }) => {
    const call = { from: taker, to, data, gas: numberToHex(8_000_000) };
    expect((await node.call<{ status: Hex }>('eth_sendTransactionSync', [call])).status).toBe('0x1');
  };
  const held = () =>
    readContract(chain, { to: token.address, abi: erc20Abi, name: 'balanceOf', args: [taker] }) as Promise<bigint>;
  for (const approval of approvals) await send(approval);
  const before = await held();
  await send(swap);
  expect((await held()) - before).toBe(BigInt(quote.amountOut));
  expect(minAmountOut).toBe(BigInt(quote.amountOut));
});
