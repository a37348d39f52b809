import { type Address, encodeFunctionData, parseAbi, parseUnits, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { farLedgerTokenArtifact } from '../../contracts/artifacts/sandbox/FarLedgerToken.ts';
import { reflectionTokenArtifact } from '../../contracts/artifacts/sandbox/ReflectionToken.ts';
import { sealedTokenArtifact } from '../../contracts/artifacts/sandbox/SealedToken.ts';
import { sharesTokenArtifact } from '../../contracts/artifacts/sandbox/SharesToken.ts';
import { swapBackTokenArtifact } from '../../contracts/artifacts/sandbox/SwapBackToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { walletTaxTokenArtifact } from '../../contracts/artifacts/sandbox/WalletTaxToken.ts';
import type { PlanExecution } from '../../engine/quote/plan/executionTypes.ts';
import type { Plan, PlanLeg } from '../../engine/quote/search/planTypes.ts';
import {
  executeRoute,
  fund,
  type PoolPlan,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { ledgerToken, recognisingTokens, recognitionRules as rules } from './ledgerToken.ts';
import { poolsOfPair, tokenOf, withChainRestored } from './market.ts';
import { hop, type PlanExecutor, planExecutorOn, planOf, toExecutable } from './planMarket.ts';

// Tokens that tax transfers, store shares or recognise simulations, in split plans. Each result is compared with a mined
// transaction, in which an ordinary account sells through a router.

const taxed = ['TAXED', 'WALLET', 'SWAPBACK', 'REFLECT', 'SHARES', 'FAR', 'PERSONS'];
const tokens = [
  ...recognisingTokens(),
  ledgerToken('TAXED', 2, taxedTokenArtifact, [[500, 1000, 300]]), // its pools are marked
  ledgerToken('WALLET', 2, taxedTokenArtifact, [[700, 900, 300]]), // markPool() is not called, so only the 3 % transfer tax applies
  ledgerToken('SWAPBACK', 2, swapBackTokenArtifact, [[300, 300, 0]]),
  ledgerToken('REFLECT', 2, reflectionTokenArtifact),
  ledgerToken('SHARES', 2, sharesTokenArtifact),
  ledgerToken('FAR', 2, farLedgerTokenArtifact),
  ledgerToken('PERSONS', 2, walletTaxTokenArtifact), // 10 % of transfers to a wallet, none to a contract
  ledgerToken('SEALED', 2, sealedTokenArtifact),
];
const pools = [...rules, ...taxed, 'SEALED'].flatMap((symbol): PoolPlan[] => [
  { venue: 'uniswap-v2', pair: [symbol, 'USDC'], usd: 400_000 },
  { venue: 'sushiswap-v2', pair: [symbol, 'USDC'], usd: 200_000 },
  { venue: 'aerodrome', pair: [symbol, 'WETH'], usd: 300_000 },
]);
const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b';

let sandbox: Sandbox;
let chain: SandboxChain;
let executor: PlanExecutor;
let trader: SandboxWallet;
/** Holds none of the tokens under test. */
let unfundedWallet: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const base = sandbox.chains.base as SandboxChain;
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  unfundedWallet = sandbox.wallets.find(({ role }) => role === 'stranger') as SandboxWallet;
  const builder = await reopenChain(base, sandbox.wallets);
  chain = await builder.list({ tokens, pools });
  const { address } = tokenOf(chain, 'TAXED');
  const own = chain.pools.filter(({ token0, token1 }) => [token0, token1].includes(address));
  const sync = encodeFunctionData({ abi: parseAbi(['function sync()']), functionName: 'sync' });
  const reflecting = tokenOf(chain, 'REFLECT').address;
  await builder.perform([
    ...own.map(({ pool, key }) => ({
      to: address,
      data: encodeFunctionData({
        abi: taxedTokenArtifact.abi,
        functionName: 'markPool',
        args: [key ? manager : (pool as Address)],
      }),
    })),
    // Adds earlier reflections to the pairs' reserves.
    ...chain.pools
      .filter(({ token0, token1 }) => [token0, token1].includes(reflecting))
      .map(({ pool }) => ({ to: pool as Address, data: sync })),
  ]);
  await fund(chain, chain.usdc, unfundedWallet.address, parseUnits('100000', 6));
  await fund(chain, zeroAddress, unfundedWallet.address, parseUnits('100', 18));
  executor = planExecutorOn(chain);
}, 120_000);
afterAll(() => sandbox?.close());

const poolOf = (venue: string, a: Address, b: Address): SandboxPool => {
  const found = poolsOfPair(chain, a, b).find((pool) => pool.venue === venue);
  if (!found) throw new TypeError(`No pool of ${venue}.`);
  return found;
};

/** Two plans: a direct sale, and a split over two direct pools and a two-hop route whose second hop is split. */
function salesOf(symbol: string, amountIn: bigint): Plan[] {
  const [token, weth, usdc] = [tokenOf(chain, symbol).address, chain.wrappedNative, chain.usdc];
  const direct = (venue: string, part: number) => hop(chain, token, usdc, [[poolOf(venue, token, usdc), part]]);
  const toWeth = (part: number) => hop(chain, token, weth, [[poolOf('aerodrome', token, weth), part]]);
  const toUsdc = hop(chain, weth, usdc, [
    [poolOf('uniswap-v3', weth, usdc), 6_001],
    [poolOf('uniswap-v2', weth, usdc), 3_999],
  ]);
  const split: PlanLeg[] = [
    ...direct('uniswap-v2', 3_333),
    ...toWeth(4_444),
    ...direct('sushiswap-v2', 2_223),
    ...toUsdc,
  ];
  return [planOf(amountIn, direct('uniswap-v2', 10_000)), planOf(amountIn, split)];
}

function purchasesOf(symbol: string, amountIn: bigint): Plan[] {
  const [token, weth, usdc] = [tokenOf(chain, symbol).address, chain.wrappedNative, chain.usdc];
  const toWeth = hop(chain, usdc, weth, [
    [poolOf('uniswap-v3', weth, usdc), 2_500],
    [poolOf('uniswap-v2', weth, usdc), 2_500],
  ]);
  const direct = hop(chain, usdc, token, [[poolOf('uniswap-v2', token, usdc), 5_000]]);
  const fromWeth = hop(chain, weth, token, [[poolOf('aerodrome', token, weth), 10_000]]);
  return [
    planOf(amountIn, hop(chain, usdc, token, [[poolOf('sushiswap-v2', token, usdc), 10_000]])),
    planOf(amountIn, [...toWeth, ...direct, ...fromWeth]),
  ];
}

const ordersOf = ({ plan, run }: PlanExecution) => ({ legs: toExecutable(plan, run.legs), amountIn: plan.amountIn });

/** Sells from a wallet that holds exactly the size, and returns the proceeds. */
function sellFromFreshWallet(execution: PlanExecution): Promise<bigint> {
  return withChainRestored(chain, async () => {
    await fund(chain, execution.plan.tokenIn, unfundedWallet.address, execution.plan.amountIn);
    return (await executeRoute(chain, { ...ordersOf(execution), wallet: unfundedWallet })).received;
  });
}

test.each(rules)(
  'single and split sales of %s pay an ordinary account what the lens measured, to the wei',
  async (symbol) => {
    for (const amountIn of [parseUnits('7', 17), parseUnits('9000', 18)]) {
      const { executions, funded } = await executor.execute(salesOf(symbol, amountIn).map((plan) => ({ plan })));
      expect(funded).toBe(true);
      for (const execution of executions) {
        expect(execution.run.status).toBe('filled');
        // recognition.test.ts compares sales of BONUS with mined transactions.
        if (symbol !== 'BONUS') expect(await sellFromFreshWallet(execution)).toBe(execution.run.received);
      }
    }
  },
);

test.each([...rules, ...taxed])(
  'a split purchase of %s and a mined transaction pay the same, to the wei',
  async (symbol) => {
    const plans = purchasesOf(symbol, parseUnits('20000', 6));
    const { executions } = await executor.execute(plans.map((plan) => ({ plan })));
    for (const execution of executions) {
      expect(execution.run.status).toBe('filled');
      const { legs, amountIn } = ordersOf(execution);
      const truth = await executed(chain, legs, amountIn, unfundedWallet);
      expect(truth?.received).toBe(execution.run.received);
    }
  },
);

test.each(taxed)('a split sale of %s and a mined transaction pay the same, to the wei', async (symbol) => {
  const plans = salesOf(symbol, parseUnits('5000', 18));
  const { executions } = await executor.execute(plans.map((plan) => ({ plan, again: true })));
  for (const execution of executions) {
    expect(execution.run.status).toBe('filled');
    const { legs, amountIn } = ordersOf(execution);
    const truth = await executed(chain, legs, amountIn, trader);
    expect(truth?.received).toBe(execution.run.received);
    expect(execution.again?.status).toBe('filled');
    expect(execution.again?.received).toBeLessThan(execution.run.received);
  }
});

test('the legs contain the amounts after the transfer tax', async () => {
  const [sale] = (await executor.execute([{ plan: salesOf('TAXED', parseUnits('5000', 18))[0] as Plan }])).executions;
  const [sold] = sale?.run.legs ?? [];
  expect(sold?.arrived).toBe(((sold?.amountIn ?? 0n) * 9n) / 10n);
  const [purchase] = (await executor.execute([{ plan: purchasesOf('TAXED', parseUnits('5000', 6))[0] as Plan }]))
    .executions;
  const [bought] = purchase?.run.legs ?? [];
  expect(bought?.amountOut).toBe((bought?.nominal ?? 0n) - ((bought?.nominal ?? 0n) * 500n) / 10_000n);
});

test('a token whose balances cannot be written is sold with tokens that a holder transfers', async () => {
  const { executions, funded } = await executor.execute(salesOf('SEALED', 10n ** 18n).map((plan) => ({ plan })));
  expect(funded).toBe(true);
  for (const execution of executions) {
    expect(execution.run.status).toBe('filled');
    const { legs, amountIn } = ordersOf(execution);
    expect((await executed(chain, legs, amountIn, trader))?.received).toBe(execution.run.received);
  }
});
