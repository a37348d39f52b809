import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  createNodeClient,
  createOrderRunner,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { createCases, readHoldings } from './cases.ts';
import { engineOn, seeded, toDecimal, tradedTokens } from './market.ts';
import { listTaxedTokens } from './taxedMarket.ts';
import { listWeightedTokens } from './weightedMarket.ts';

// Executes quotes of exactly `depthAtSize` on the chain. Their price must be at most 1 % below the first quote's.

const names = ['base', 'polygon', 'arbitrum'] as const;
/** Number of executed orders per chain. */
const executions = isFullSize ? 150 : 40;
/** Flags and venues of the executed quotes. */
const seen = new Set<string>();

let sandbox: Sandbox;
let trader: SandboxWallet;
beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

/** Transfers tokens to every pair without a swap, so that its balances exceed its reserves. */
async function transferToPairs(chain: SandboxChain, random: () => number): Promise<Set<string>> {
  const node = createNodeClient(chain.rpcUrl);
  await node.call('anvil_impersonateAccount', [trader.address]);
  const balanceOf = async (token: Address, holder: Address) =>
    BigInt(
      await node.call<string>('eth_call', [
        { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] }) },
        'latest',
      ]),
    );
  const pairs = chain.pools.filter(({ venue }) => /^(uniswap-v2|pancakeswap-v2|sushiswap-v2|aerodrome)$/.test(venue));
  for (const pair of pairs) {
    const pool = pair.pool as Address;
    for (const token of tradedTokens(chain, pair)) {
      const amount = BigInt(Math.floor(Number(await balanceOf(token, pool)) * random()));
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [pool, amount] });
      await node.call('eth_sendTransaction', [{ from: trader.address, to: token, data, gas: '0x4c4b40' }]);
    }
  }
  await node.call('evm_mine', []);
  return new Set(pairs.map(({ pool }) => pool));
}

describe.concurrent('an order of depthAtSize', () => {
  test.each(names)(
    'on %s is executed at most 1 % below the price of the quote',
    async (name) => {
      const random = seeded(20_261_124 + names.indexOf(name));
      const taxed = await listTaxedTokens(sandbox.chains[name] as SandboxChain, sandbox.wallets);
      const chain = await listWeightedTokens(taxed, sandbox.wallets);
      const runner = await createOrderRunner(chain, trader);
      const pairs = await transferToPairs(chain, random);
      const holdings = await readHoldings(chain, trader.address);
      const nextCase = createCases(chain, holdings, random, 0);
      const { engine } = engineOn(chain);
      const faults: string[] = [];
      for (let count = 0; count < executions; ) {
        const { query, tokenIn, tokenOut } = nextCase();
        const held = holdings.get(tokenIn.address) ?? 0n;
        const answer = await engine.quote(query);
        const depth = BigInt(Math.floor(answer.depthAtSize * 10 ** tokenIn.decimals));
        if (answer.amountOut === 0n || depth <= answer.amountIn || held <= answer.amountIn) continue;
        count += 1;
        const amountIn = depth < held ? depth : held;
        const larger = await engine.quote({ ...query, size: { tokenIn: toDecimal(amountIn, tokenIn.decimals) } });
        const { movements } = await runner.tryOrders([{ legs: larger.route.legs, amountIn }]);
        const fault = faultOf(answer, amountIn, movements[0]?.received);
        const { legs } = answer.route;
        const about = `${answer.amountIn} ${tokenIn.symbol} to ${tokenOut.symbol}, ${legs.map(({ venue }) => venue)}`;
        if (fault) faults.push(`${about}: ${fault}`);
        for (const { code } of answer.flags) seen.add(code);
        for (const { venue, pool } of legs) seen.add(pairs.has(pool) ? 'pair with surplus' : venue);
      }
      expect(faults).toEqual([]);
    },
    300_000,
  );
});

test.each(['HOOKED_POOL', 'TRANSFER_TAX', 'SPLIT_ROUTE', 'quickswap-v4', 'balancer-v2', 'pair with surplus'])(
  'the orders include %s',
  (kind) => expect(seen).toContain(kind),
);

function faultOf({ amountIn, amountOut }: QuoteAnswer, size: bigint, paid: bigint | undefined): string | undefined {
  if (paid === undefined) return `an order of ${size} reverts`;
  if (paid * amountIn * 100n >= amountOut * size * 99n) return undefined;
  const share = Number((paid * amountIn * 1_000_000n) / (amountOut * size)) / 10_000;
  return `${Number(size) / Number(amountIn)} times the order pays ${share} % of its price`;
}
