import { type Address, erc20Abi, type Hex } from 'viem';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Quote, toTransaction, verify } from '../../client/index.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { deployments, type Engine, type QuoteAnswer } from '../../engine/index.ts';
import { toWire } from '../../router/index.ts';
import { sendFromWallet } from '../../sandbox/execution/walletSender.ts';
import { makerAddress, type OpenChain, type SandboxChain, type SandboxWallet } from '../../sandbox/index.ts';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { readContract } from '../../sandbox/testing/readContract.ts';
import { transferOf } from '../../sandbox/tokens/erc20.ts';
import { balancerV2, balancerVault } from '../../sandbox/venues/balancerV2.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { type CountingEndpoint, loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, quoteSearched, tokenOf, withChainRestored } from './market.ts';
import { openWeighted } from './weightedMarket.ts';

// Weighted pools of Balancer v2. The sandbox runs its published vault and factories; quotes find pools in the logs.

const plain = (symbol: string, usd: number) => ledgerToken(symbol, usd, taxedTokenArtifact, [[0, 0, 0]]);
const [pairToken, trio] = [plain('WPAIR', 2), plain('WTRIO', 5)];
const released = [1, 2, 3].map((release) => plain(`WREL${release}`, 3));

/** The chain under test. */
let chain: SandboxChain;
let builder: OpenChain;
let trader: SandboxWallet;
let trioPool: Address;
let trioId: Hex;

const names = ['polygon', 'arbitrum'] as const;
type Name = (typeof names)[number];
const opened = { polygon: useOpenChain('polygon'), arbitrum: useOpenChain('arbitrum') };
const markets = new Map<Name, { chain: SandboxChain; pool: Address; id: Hex }>();
const prices = { WTRIO: 5, USDC: 1, WETH: 3000 };

beforeAll(async () => {
  for (const name of names) {
    const listed = await opened[name].builder.list({
      tokens: [pairToken, trio, ...released],
      pools: [{ venue: 'balancer-v2', pair: ['WPAIR', 'WETH'], usd: 400_000, weights: [80, 20], tier: 3000 }],
    });
    const plan = { symbols: ['WTRIO', 'USDC', 'WETH'], weights: [50, 25, 25], usd: 3_000_000, prices };
    markets.set(name, await openWeighted(opened[name].builder, listed, plan));
  }
});

function use(name: Name): void {
  beforeAll(() => {
    const market = markets.get(name);
    if (market) ({ chain, pool: trioPool, id: trioId } = market);
    ({ builder, trader } = opened[name]);
  });
}

const addressOf = (symbol: string) => tokenOf(chain, symbol).address;
const newEngine = (over: CountingEndpoint = loopbackEndpoint(chain.rpcUrl)) => engineOver(chain, over);
const quoteOf = (engine: Engine, tokenIn: string, tokenOut: string, size: string): Promise<QuoteAnswer> =>
  quoteSearched(engine, {
    chain: chain.name,
    tokenIn: addressOf(tokenIn),
    tokenOut: addressOf(tokenOut),
    size: { tokenIn: size },
  });

async function expectPaid(answer: QuoteAnswer): Promise<void> {
  expect(answer.amountOut).toBeGreaterThan(0n);
  const paid = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(paid?.received).toBe(answer.amountOut);
}

describe.each(names)('quotes on %s', (name) => {
  use(name);

  test.each([
    ['WPAIR', 'WETH', '1000', 'balancer-v2'],
    ['WETH', 'WPAIR', '3.25', 'balancer-v2'],
    ['WPAIR', 'USDC', '1000', 'mixed'],
    ['USDC', 'WPAIR', '2000', 'mixed'],
    ['WTRIO', 'USDC', '1234.5', undefined],
    ['USDC', 'WTRIO', '50000', undefined],
    ['WTRIO', 'WPAIR', '700', undefined],
  ] as const)('%s to %s pays to the wei, in a new and in a known market', async (tokenIn, tokenOut, size, dex) => {
    const engine = newEngine();
    for (const _ of ['new', 'known']) {
      const answer = await quoteOf(engine, tokenIn, tokenOut, size);
      if (dex) expect(answer.route.dex).toBe(dex);
      expect(answer.route.legs.some((leg) => leg.dex === 'balancer-v2')).toBe(true);
      expect(answer.spotPrice).not.toBeNull();
      expect(answer.worstCaseSlippageBps).not.toBeNull();
      expect(answer.depthAtSize).toBeGreaterThan(0);
      await expectPaid(answer);
    }
  });

  test('a leg has the id of its pool in the vault, and its fee', async () => {
    const answer = await quoteOf(newEngine(), 'WTRIO', 'USDC', '10');
    const leg = answer.route.legs.find(({ dex }) => dex === 'balancer-v2');
    expect(leg).toMatchObject({ venue: 'balancer-v2', pool: trioId, feePips: 2500 });
    expect(trioId.startsWith(trioPool.toLowerCase())).toBe(true);
    expect(answer.route.pools).toContain(trioId);
    expect(Object.keys(leg ?? {}).sort()).toEqual(
      ['dex', 'venue', 'pool', 'tokenIn', 'tokenOut', 'feePips', 'amountIn', 'amountOut', 'shareBps'].sort(),
    );
  });
});

describe.each(names)('transactions on %s', (name) => {
  use(name);

  test.each([
    ['WPAIR', 'WETH', '1000'],
    ['WPAIR', 'WTRIO', '1000'],
  ] as const)(
    'one transaction of the vault sells %s for %s, and the client verifies the quote',
    async (sold, bought, size) => {
      const answer = await quoteOf(newEngine(), sold, bought, size);
      expect(answer.route.dex).toBe('balancer-v2');
      const quote = JSON.parse(JSON.stringify(toWire(answer))) as Quote;
      const { to, data, approvals, minAmountOut } = toTransaction(quote, { taker: trader.address, slippageBps: 0 });
      expect(to).toBe(balancerVault);
      expect(minAmountOut).toBe(answer.amountOut);
      const node = createNodeClient(chain.rpcUrl);
      const balanceOf = (token: Address) =>
        readContract(chain, { to: token, abi: erc20Abi, name: 'balanceOf', args: [trader.address] }) as Promise<bigint>;
      const received = await withChainRestored(chain, async () => {
        const before = await balanceOf(answer.tokenOut);
        for (const call of [...approvals, { to, data }]) await sendFromWallet(node, chain.chainId, trader, call);
        return (await balanceOf(answer.tokenOut)) - before;
      });
      expect(received).toBe(answer.amountOut);
      expect(await verify(quote, { rpcUrl: chain.rpcUrl })).toMatchObject({ difference: 0n });
    },
  );

  test('no single transaction executes legs on Balancer and elsewhere', async () => {
    const quote = JSON.parse(JSON.stringify(toWire(await quoteOf(newEngine(), 'WPAIR', 'USDC', '10')))) as Quote;
    const build = () => toTransaction(quote, { taker: trader.address, slippageBps: 0 });
    expect(build).toThrow(/^The legs are on .*balancer-v2.*; no known router executes them in one transaction\.$/);
  });
});

describe.each(names)('coverage and releases on %s', (name) => {
  use(name);

  test('NO_ROUTE reports the vault only for balances that the read weighted pools do not hold', async () => {
    const notCovered = async () => {
      const { flags } = await quoteOf(newEngine(), 'WPAIR', 'USDC', '500000');
      return flags.find(({ code }) => code === 'NO_ROUTE')?.facts?.notCovered;
    };
    expect(await notCovered()).toEqual([]);
    await builder.perform([transferOf(addressOf('WPAIR'), balancerVault, 1n)]);
    expect(await notCovered()).toEqual(['balancer-v2 pools of other kinds']);
  });

  test.each([1, 2, 3] as const)('pools of release %i pay to the wei', async (release) => {
    const row = deployments[name].venues.filter(({ family }) => family === 'balancer-v2')[release - 1] as {
      factory: Address;
    };
    const factory = { address: row.factory, release };
    await builder.place(balancerV2({ factory, maker: makerAddress }).placements);
    const symbol = `WREL${release}`;
    for (const weights of [
      [50, 50],
      [80, 20],
      [37, 63],
    ]) {
      await withChainRestored(chain, async () => {
        const plan = { symbols: [symbol, 'USDC'], weights, usd: 900_000, prices: { [symbol]: 3 }, factory };
        const market = await openWeighted(builder, chain, plan);
        for (const [tokenIn, tokenOut, size] of [
          [symbol, 'USDC', '777.7'],
          ['USDC', symbol, '4321'],
        ] as const) {
          const answer = await quoteOf(newEngine(), tokenIn, tokenOut, size);
          expect(answer.route.pools).toEqual([market.id]);
          const paid = await executed(market.chain, answer.route.legs, answer.amountIn, trader);
          expect(paid?.received).toBe(answer.amountOut);
        }
      });
    }
  });

  test('a large order uses at most one pair of a weighted pool', async () => {
    const answer = await quoteOf(newEngine(), 'WTRIO', 'USDC', '60000');
    const pools = answer.route.legs.map(({ pool }) => pool);
    expect(pools.filter((pool) => pool === trioId)).toHaveLength(1);
    await expectPaid(answer);
  });
});
