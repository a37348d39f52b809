import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { hostileWeightedPoolArtifact } from '../../contracts/artifacts/sandbox/HostileWeightedPool.ts';
import { rateProviderArtifact } from '../../contracts/artifacts/sandbox/RateProvider.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { Engine, QuoteAnswer, RpcCall } from '../../engine/index.ts';
import { sendFromWallet } from '../../sandbox/execution/walletSender.ts';
import { makerAddress, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { operatorAddress } from '../../sandbox/placement/operator.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { balancerVault, fillWeighted, placeBalancerVault } from '../../sandbox/venues/balancerV2.ts';
import { placeHostilePool, poolFaults } from '../support/hostileContracts.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf, withChainRestored } from './market.ts';
import { openWeighted } from './weightedMarket.ts';

// Weighted pools that are paused, hostile, not created by Balancer's factories, or have unusual tokens.

/** Faults of HostileWeightedPool, in the contract's order. */
const faults = ['LiesInWeights', 'HidesFee', 'PaysHalf', 'BurnsSwap', 'BurnsReads', 'RevertsSwap', 'IsPaused'] as const;

const plain = (symbol: string, usd: number) => ledgerToken(symbol, usd, taxedTokenArtifact, [[0, 0, 0]]);
const others = ['W1', 'W2', 'W3', 'W4', 'W5'].map((symbol) => plain(symbol, 2));
const taxed = ledgerToken('WTAXED', 2, taxedTokenArtifact, [[400, 900, 0]]);
const tokens = [plain('WHALF', 2), plain('WMANY', 2), plain('WRATE', 2), taxed, ...others];
const prices: Record<string, number> = {
  ...Object.fromEntries(tokens.map(({ symbol, usd }) => [symbol, usd])),
  WETH: 3000,
};

const opened = useOpenChain('arbitrum');
let chain: SandboxChain;
let victim: { pool: Address; id: Hex };

beforeAll(async () => {
  // Pools of other families, so that each quote has a route without the weighted pool.
  const pools = ['WHALF', 'WMANY'].map((symbol) => ({
    ...{ venue: 'uniswap-v3', pair: [symbol, 'USDC'] as const, usd: 200_000, tier: 3000 },
  }));
  chain = await opened.builder.list({ tokens, pools });
  const half = { symbols: ['WHALF', 'USDC'], weights: [50, 50], usd: 1_000_000, prices };
  ({ chain, ...victim } = await openWeighted(opened.builder, chain, half));
}, 120_000);

const addressOf = (symbol: string) => tokenOf(chain, symbol).address;
type Query = readonly [tokenIn: string, tokenOut: string, size: string];
const quoteOf = (engine: Engine, ...[tokenIn, tokenOut, size]: Query): Promise<QuoteAnswer> =>
  engine.quote({
    chain: 'arbitrum',
    tokenIn: addressOf(tokenIn),
    tokenOut: addressOf(tokenOut),
    size: { tokenIn: size },
  });
const newEngine = (over: CountingEndpoint = loopbackEndpoint(chain.rpcUrl)) => engineOver(chain, over);
const usesVault = ({ route }: QuoteAnswer) => route.legs.some(({ venue }) => venue === 'balancer-v2');
const node = () => createNodeClient(chain.rpcUrl);
const removeCode = (address: Address) => node().call('anvil_setCode', [address, '0x']);
const queries: readonly Query[] = [
  ['WHALF', 'USDC', '1000'],
  ['USDC', 'WHALF', '20000'],
];

async function expectPaid(answer: QuoteAnswer): Promise<void> {
  expect(answer.amountOut).toBeGreaterThan(0n);
  const paid = await executed(chain, answer.route.legs, answer.amountIn, opened.trader);
  expect(paid?.received).toBe(answer.amountOut);
}

async function placeFault(fault: string): Promise<void> {
  const index = faults.indexOf(fault as (typeof faults)[number]);
  if (index === -1) return placeHostilePool(opened.builder, hostile(), fault as (typeof poolFaults)[number]);
  const { creation } = placed('weighted', hostileWeightedPoolArtifact, [index, victim.id]);
  return opened.builder.place([{ address: victim.pool, creation }]);
}
const hostile = () => chain.pools.find(({ pool }) => pool === victim.pool) as SandboxPool;

test('default: quotes of this market use the weighted pool, and a transaction pays them to the wei', async () => {
  for (const query of queries) {
    const answer = await quoteOf(newEngine(), ...query);
    expect(usesVault(answer)).toBe(true);
    await expectPaid(answer);
  }
});

describe.each([...faults, ...poolFaults])('a listed pool whose code becomes one that %s', (fault) => {
  test('does not lower a quote below that without the pool, and transactions pay the quotes', async () => {
    const without = await withChainRestored(chain, async () => {
      await removeCode(victim.pool);
      return Promise.all(queries.map((query) => quoteOf(newEngine(), ...query)));
    });
    await withChainRestored(chain, async () => {
      const known = newEngine();
      for (const query of queries) await quoteOf(known, ...query);
      await placeFault(fault);
      for (const [index, query] of queries.entries()) {
        const endpoint = loopbackEndpoint(chain.rpcUrl);
        for (const engine of [newEngine(endpoint), known]) {
          const answer = await quoteOf(engine, ...query);
          await expectPaid(answer);
          expect(answer.amountOut).toBeGreaterThanOrEqual(without[index]?.amountOut ?? 0n);
        }
        expect(endpoint.requests).toBeLessThanOrEqual(14);
      }
    });
  }, 60_000);
});

test('the confidence is medium if the node refuses the logs that list weighted pools', async () => {
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const { send } = endpoint;
  endpoint.send = async (calls, options) => {
    const replies = await send(calls, options);
    return replies.map((reply, index) => (listsPools(calls[index]) ? tooWide : reply));
  };
  const query = ['WHALF', 'USDC', '10'] as const;
  const [whole, partial] = [await quoteOf(newEngine(), ...query), await quoteOf(newEngine(endpoint), ...query)];
  expect([whole.confidence, usesVault(whole)]).toEqual(['high', true]);
  expect([partial.confidence, usesVault(partial)]).toEqual(['medium', false]);
  await expectPaid(partial);
});

/** `PoolCreated` of Balancer's factories. */
const createdTopic = '0x83a48fbcfc991335314e74d0496aab6a1987e992ddc85dddbcc4d6dd6ef2e9fc';
const listsPools = (call: RpcCall | undefined) => JSON.stringify(call).includes(createdTopic);
const tooWide = { error: { code: -32005, message: 'The range of blocks is too wide.' } };

test.each(['vault', 'pool'])('while the %s is paused, quotes do not use the pool', async (paused) => {
  await withChainRestored(chain, async () => {
    const known = newEngine();
    for (const query of queries) expect(usesVault(await quoteOf(known, ...query))).toBe(true);
    if (paused === 'vault') await pauseVault();
    else await placeFault('IsPaused');
    for (const query of queries) {
      for (const engine of [newEngine(), known]) {
        const answer = await quoteOf(engine, ...query);
        expect(usesVault(answer)).toBe(false);
        await expectPaid(answer);
      }
    }
  });
});

async function pauseVault(): Promise<void> {
  // Deploy the vault again, because it can be paused only in the first months after deployment.
  await opened.builder.place(placeBalancerVault(chain.wrappedNative));
  // The sandbox's authorizer is an account; code that permits everything replaces it.
  await node().call('anvil_setCode', [operatorAddress, '0x600160005260206000f3']);
  const data = encodeFunctionData({ abi: parseAbi(['function setPaused(bool)']), args: [true] });
  await sendFromWallet(node(), chain.chainId, opened.trader, { to: balancerVault, data });
  await node().call('anvil_setCode', [operatorAddress, '0x']);
}

test('does not use a pool of the vault that no factory of Balancer created', async () => {
  const before = await Promise.all(queries.map((query) => quoteOf(newEngine(), ...query)));
  await withChainRestored(chain, async () => {
    const stranger = placed('stranger', hostileWeightedPoolArtifact, [faults.indexOf('PaysHalf'), victim.id]);
    await opened.builder.place([stranger]);
    const pair = [addressOf('WHALF'), addressOf('USDC')].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const { abi } = hostileWeightedPoolArtifact;
    const data = encodeFunctionData({ abi, functionName: 'register', args: [balancerVault, pair] });
    // Far above the market: a thousandth of the WHALF that its USDC would buy.
    const amounts = pair.map((token) => (token === addressOf('USDC') ? 10n ** 12n : 5n * 10n ** 20n));
    await opened.builder.perform([
      { to: stranger.address, data },
      ...fillWeighted(stranger.address, pair, amounts, makerAddress),
    ]);
    for (const [index, query] of queries.entries()) {
      const answer = await quoteOf(newEngine(), ...query);
      expect(answer.route).toEqual(before[index]?.route);
      expect(answer.amountOut).toBe(before[index]?.amountOut);
    }
  });
});

test('a pool of eight tokens adds at most eight pairs, no request, and pays to the wei', async () => {
  const honest = loopbackEndpoint(chain.rpcUrl);
  await quoteOf(newEngine(honest), 'WMANY', 'USDC', '100');
  const symbols = ['WMANY', 'USDC', 'WETH', 'W1', 'W2', 'W3', 'W4', 'W5'];
  const many = { symbols, weights: [16, 12, 12, 12, 12, 12, 12, 12], usd: 4_000_000, prices };
  ({ chain } = await openWeighted(opened.builder, chain, many));
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const engine = newEngine(endpoint);
  for (const [tokenIn, tokenOut] of [
    ['WMANY', 'USDC'],
    ['WETH', 'WMANY'],
    ['W1', 'W5'],
    ['W1', 'WMANY'],
  ] as const) {
    const answer = await quoteOf(engine, tokenIn, tokenOut, tokenIn === 'WETH' ? '3' : '1000');
    expect(usesVault(answer)).toBe(true);
    await expectPaid(answer);
  }
  endpoint.requests = 0;
  await quoteOf(engine, 'WMANY', 'USDC', '101');
  expect(endpoint.requests).toBeLessThanOrEqual(2);
});

test('rate providers change no swap', async () => {
  const provider = placed('rate provider', rateProviderArtifact, []);
  await opened.builder.place([provider]);
  const rated = { symbols: ['WRATE', 'USDC'], weights: [70, 30], usd: 900_000, prices, rateProvider: provider.address };
  ({ chain } = await openWeighted(opened.builder, chain, rated));
  for (const query of [
    ['WRATE', 'USDC', '1234'],
    ['USDC', 'WRATE', '5000'],
  ] as readonly Query[]) {
    const answer = await quoteOf(newEngine(), ...query);
    expect(answer.route.dex).toBe('balancer-v2');
    await expectPaid(answer);
  }
});

test('a token with a transfer tax can be bought for the taxed amount, but not sold to the vault', async () => {
  const pair = { symbols: ['WTAXED', 'USDC'], weights: [50, 50], usd: 800_000, prices };
  ({ chain } = await openWeighted(opened.builder, chain, pair));
  const { abi } = taxedTokenArtifact;
  const data = encodeFunctionData({ abi, functionName: 'markPool', args: [getAddress(balancerVault)] });
  await opened.builder.perform([{ to: addressOf('WTAXED'), data }]);
  const bought = await quoteOf(newEngine(), 'USDC', 'WTAXED', '1000');
  expect(bought.flags.map(({ code }) => code)).toContain('TRANSFER_TAX');
  await expectPaid(bought);
  const sold = await quoteOf(newEngine(), 'WTAXED', 'USDC', '1000');
  expect(sold.route.legs).toEqual([]);
  expect(sold.flags.map(({ code }) => code)).toContain('NO_ROUTE');
});
