import { type Address, encodeFunctionData, parseAbi, parseUnits, zeroAddress } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { farLedgerTokenArtifact } from '../../contracts/artifacts/sandbox/FarLedgerToken.ts';
import { reflectionTokenArtifact } from '../../contracts/artifacts/sandbox/ReflectionToken.ts';
import { sealedTokenArtifact } from '../../contracts/artifacts/sandbox/SealedToken.ts';
import { sharesTokenArtifact } from '../../contracts/artifacts/sandbox/SharesToken.ts';
import { surchargeTokenArtifact } from '../../contracts/artifacts/sandbox/SurchargeToken.ts';
import { swapBackTokenArtifact } from '../../contracts/artifacts/sandbox/SwapBackToken.ts';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import { walletTaxTokenArtifact } from '../../contracts/artifacts/sandbox/WalletTaxToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import { type Action, fund, makerAddress, type SandboxChain, type SandboxWallet } from '../../sandbox/index.ts';
import { shareOf } from '../support/proofSize.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, poolsOfPair, tokenOf, withChainRestored } from './market.ts';

const taxed = (symbol: string, buy: number, sell: number, transfer: number) =>
  ledgerToken(symbol, 2, taxedTokenArtifact, [[buy, sell, transfer]]);

const tokens = [
  taxed('TAXED', 500, 1000, 300), // its pools are marked: buy 5 %, sell 10 %
  taxed('BUYTAX', 400, 0, 0),
  taxed('WALLET', 700, 900, 300), // its pools are not marked: 3 % on every transfer
  taxed('PARTLY', 2000, 2000, 0), // only one of its two pools is marked
  taxed('LESSER', 2000, 2000, 0), // only the smaller of its two pools is marked
  taxed('MOST', 0, 0, 0), // transfers of more than 1,000 revert
  taxed('ALL', 0, 10_000, 0), // sells are taxed by 100 %
  ledgerToken('SWAPBACK', 2, swapBackTokenArtifact, [[300, 300, 0]]),
  ledgerToken('REFLECT', 2, reflectionTokenArtifact),
  ledgerToken('SHARES', 2, sharesTokenArtifact),
  ledgerToken('FAR', 2, farLedgerTokenArtifact),
  ledgerToken('SEALED', 2, sealedTokenArtifact),
  ledgerToken('SURCHARGE', 2, surchargeTokenArtifact),
  ledgerToken('PERSONS', 2, walletTaxTokenArtifact), // 10 % of transfers to a wallet, none to a contract
  ledgerToken('PAIRTAX', 2, walletTaxTokenArtifact), // the same, in pairs only
];

const usd = 200_000;
const pools = [
  { venue: 'uniswap-v2', pair: ['TAXED', 'WETH'], usd },
  { venue: 'aerodrome', pair: ['TAXED', 'USDC'], usd },
  { venue: 'uniswap-v3', pair: ['TAXED', 'WETH'], usd: 9 * usd, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['TAXED', 'USDC'], usd: 5 * usd, tier: 3000 },
  { venue: 'uniswap-v3', pair: ['BUYTAX', 'WETH'], usd, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['BUYTAX', 'USDC'], usd, tier: 3000 },
  { venue: 'aerodrome-slipstream', pair: ['BUYTAX', 'USDC'], usd: 2 * usd, tier: 200 },
  { venue: 'sushiswap-v2', pair: ['WALLET', 'USDC'], usd },
  { venue: 'aerodrome', pair: ['WALLET', 'WETH'], usd },
  { venue: 'uniswap-v2', pair: ['PARTLY', 'USDC'], usd: 5 * usd },
  { venue: 'pancakeswap-v2', pair: ['PARTLY', 'USDC'], usd },
  { venue: 'pancakeswap-v2', pair: ['LESSER', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['LESSER', 'USDC'], usd: 5 * usd },
  { venue: 'uniswap-v2', pair: ['MOST', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['ALL', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['SWAPBACK', 'WETH'], usd },
  { venue: 'uniswap-v2', pair: ['REFLECT', 'WETH'], usd },
  { venue: 'uniswap-v2', pair: ['SHARES', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['FAR', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['SEALED', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['SURCHARGE', 'USDC'], usd },
  { venue: 'uniswap-v2', pair: ['PERSONS', 'USDC'], usd },
  { venue: 'aerodrome', pair: ['PERSONS', 'WETH'], usd },
  { venue: 'uniswap-v3', pair: ['PERSONS', 'WETH'], usd: 3 * usd, tier: 3000 },
  { venue: 'uniswap-v4', pair: ['PERSONS', 'USDC'], usd: 5 * usd, tier: 3000 },
  { venue: 'uniswap-v2', pair: ['PAIRTAX', 'USDC'], usd },
  { venue: 'pancakeswap-v2', pair: ['PAIRTAX', 'USDC'], usd },
] as const;

const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b'; // Uniswap v4's PoolManager on Base

const opened = useOpenChain('base');
/** The chain with the tokens and pools of this file. */
let chain: SandboxChain;
let engineOnBase: EngineOnChain;
/** Holds none of the bought tokens, so its balance is the received amount, even if a token's balances grow. */
let buyer: SandboxWallet;

beforeAll(async () => {
  buyer = opened.walletOf('stranger');
  chain = await opened.builder.list({ tokens, pools });
  await opened.builder.perform([
    ...markPools('TAXED'),
    ...markPools('BUYTAX'),
    ...markPools('MOST'),
    ...markPools('ALL'),
    ...markPools('SWAPBACK'),
    ...markPools('PARTLY').slice(0, 1),
    ...markPools('LESSER').slice(0, 1),
    call('MOST', taxedTokenArtifact.abi, 'limitTransaction', [parseUnits('1000', 18)]),
    ...fillCollector(),
    ...syncReserves('REFLECT'),
  ]);
  for (const symbol of ['USDC', 'WETH', 'OAK', 'MOSS']) {
    const { address, decimals } = tokenOf(chain, symbol);
    await fund(chain, address, buyer.address, parseUnits('30000', decimals));
  }
  await fund(chain, zeroAddress, buyer.address, parseUnits('100', 18));
  engineOnBase = engineOn(chain);
  await engineOnBase.engine.start();
});

function call(symbol: string, abi: readonly unknown[], functionName: string, args: readonly unknown[]): Action {
  return { to: tokenOf(chain, symbol).address, data: encodeFunctionData({ abi, functionName, args } as never) };
}

function markPools(symbol: string): Action[] {
  const { address } = tokenOf(chain, symbol);
  const own = chain.pools.filter(({ token0, token1 }) => [token0, token1].includes(address));
  return own.map(({ pool, key }) => call(symbol, taxedTokenArtifact.abi, 'markPool', [key ? manager : pool]));
}

/** SWAPBACK has collected taxes, and sells 5,000 of them in the next sale. */
function fillCollector(): Action[] {
  const { address } = tokenOf(chain, 'SWAPBACK');
  const [pool] = poolsOfPair(chain, address, chain.wrappedNative);
  const threshold = parseUnits('5000', 18);
  return [
    call('SWAPBACK', swapBackTokenArtifact.abi, 'transfer', [address, threshold * 3n]),
    call('SWAPBACK', swapBackTokenArtifact.abi, 'sellInto', [pool?.pool, makerAddress, threshold]),
  ];
}

/** Adds earlier reflections to the reserves of the pairs. */
function syncReserves(symbol: string): Action[] {
  const pairs = poolsOfPair(chain, tokenOf(chain, symbol).address, chain.wrappedNative);
  const data = encodeFunctionData({ abi: parseAbi(['function sync()']), functionName: 'sync' });
  return pairs.map(({ pool }) => ({ to: pool, data }));
}

const sizes = ['0.000000000000000007', '0.013', '1', '777.777', '25000'];

function quoteOf(tokenIn: string, tokenOut: string, size: string): Promise<QuoteAnswer> {
  const [a, b] = [tokenOf(chain, tokenIn), tokenOf(chain, tokenOut)];
  const cut = size.slice(0, size.indexOf('.') < 0 ? size.length : size.indexOf('.') + 1 + a.decimals);
  return engineOnBase.engine.quote({
    chain: 'base',
    tokenIn: a.address,
    tokenOut: b.address,
    size: { tokenIn: cut.replace(/\.$/, '') },
  });
}

const taxesOf = ({ flags }: QuoteAnswer) =>
  flags.filter(({ code }) => code === 'TRANSFER_TAX').map(({ facts }) => facts as { side: string; taxBps: number });

const traded = ['TAXED', 'BUYTAX', 'WALLET', 'PARTLY', 'SWAPBACK', 'REFLECT', 'SHARES', 'FAR', 'PERSONS'];
test.each(shareOf(traded, 2))(
  'default: sales and purchases of %s pay the quote, to the wei, direct and over two legs',
  async (symbol) => {
    const faults: string[] = [];
    let routed = 0;
    for (const other of ['USDC', 'WETH', 'OAK', 'MOSS']) {
      for (const [tokenIn, tokenOut] of [
        [symbol, other],
        [other, symbol],
      ] as const) {
        for (const size of sizes) {
          if (tokenIn !== symbol && (size.length > 8 || (tokenIn === 'WETH' && size === '25000'))) continue;
          const quote = await quoteOf(tokenIn, tokenOut, size);
          const about = `${size} ${tokenIn} -> ${tokenOut} by ${quote.route.legs.map(({ venue }) => venue)}`;
          if (quote.route.legs.length === 0) continue;
          routed += 1;
          const wallet = tokenIn === symbol ? opened.trader : buyer;
          const paid = await executed(chain, quote.route.legs, quote.amountIn, wallet);
          if (paid?.received !== quote.amountOut) faults.push(`${about}: ${quote.amountOut}, paid ${paid?.received}`);
          if (size !== '1') continue;
          const [a, b] = [tokenOf(chain, tokenIn).address, tokenOf(chain, tokenOut).address];
          for (const { venue, pool } of poolsOfPair(chain, a, b)) {
            const leg = { venue, pool, tokenIn: a, tokenOut: b };
            const other = await executed(chain, [leg], quote.amountIn, wallet);
            if (other && other.received > quote.amountOut) faults.push(`${about}: ${venue} pays ${other.received}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
    expect(routed).toBeGreaterThan(14);
  },
);

test('default: TRANSFER_TAX reports the measured tax for each side', async () => {
  const sale = await quoteOf('TAXED', 'WETH', '100');
  expect(taxesOf(sale)).toEqual([{ token: tokenOf(chain, 'TAXED').address, side: 'sell', taxBps: 1000 }]);
  expect(taxesOf(await quoteOf('WETH', 'TAXED', '0.1'))).toMatchObject([{ side: 'buy', taxBps: 500 }]);
  expect(taxesOf(await quoteOf('BUYTAX', 'WETH', '100'))).toEqual([]);
  expect(taxesOf(await quoteOf('WETH', 'BUYTAX', '0.1'))).toMatchObject([{ side: 'buy', taxBps: 400 }]);
  expect(taxesOf(await quoteOf('WALLET', 'USDC', '100'))).toMatchObject([{ side: 'sell', taxBps: 300 }]);
  expect(taxesOf(await quoteOf('FAR', 'USDC', '100'))).toMatchObject([{ side: 'sell', taxBps: 1000 }]);
  // The pool is a token holder, so reflection returns a little of the tax to it.
  expect(taxesOf(await quoteOf('REFLECT', 'WETH', '100'))).toMatchObject([{ side: 'sell', taxBps: 500 }]);
  expect(taxesOf(await quoteOf('TAXED', 'BUYTAX', '100'))).toMatchObject([
    { side: 'sell', taxBps: 1000 },
    { side: 'buy', taxBps: 400 },
  ]);
  expect(taxesOf(await quoteOf('WETH', 'USDC', '1'))).toEqual([]);
});

test('behavior: depth, splits and worst case include a tax on wallets', async () => {
  const quote = await quoteOf('USDC', 'PAIRTAX', '100');
  expect(taxesOf(quote)).toMatchObject([{ side: 'buy', taxBps: 1000 }]);
  const deep = await quoteOf('USDC', 'PAIRTAX', String(quote.depthAtSize));
  expect(deep.executablePrice / quote.executablePrice).toBeGreaterThan(0.9899);
  const [split] = (await quoteOf('USDC', 'PAIRTAX', '15000')).flags.filter(({ code }) => code === 'SPLIT_ROUTE');
  expect(split?.facts?.gainBps ?? 0).toBeLessThan(500); // 1508 if the parts ignored the tax
  expect(quote.worstCaseSlippageBps).toBeGreaterThan(quote.priceImpactBps ?? 0);
  expect(taxesOf(await quoteOf('WETH', 'PAIRTAX', '0.1'))).toMatchObject([{ side: 'buy', taxBps: 1000 }]);
});

test('behavior: pools that require the full payment are used to buy a taxed token, but not to sell it', async () => {
  const sale = await quoteOf('TAXED', 'WETH', '100');
  const selling = sale.route.legs.filter(({ tokenIn }) => tokenIn === sale.tokenIn).map(({ dex }) => dex);
  expect(selling).not.toContain('uniswap-v3');
  expect(selling).not.toContain('uniswap-v4');
  expect((await quoteOf('WETH', 'TAXED', '0.1')).route.dex).toBe('uniswap-v3');
});

test('behavior: prefers the pool with the lower tax to a deeper one', async () => {
  const sale = await quoteOf('PARTLY', 'USDC', '100');
  expect(sale.route.legs).toMatchObject([{ venue: 'pancakeswap-v2' }]);
  expect(taxesOf(sale)).toEqual([]);
});

test.each([
  ['the deeper pool', 'PARTLY'],
  ['the other pool', 'LESSER'],
])('behavior: a tax at %s does not raise the depth of a sale without tax', async (_, symbol) => {
  const sale = await quoteOf(symbol, 'USDC', '1500');
  expect(taxesOf(sale)).toEqual([]);
  expect(sale.depthAtSize).toBeGreaterThan(2_000);
  const larger = await quoteOf(symbol, 'USDC', String(sale.depthAtSize));
  expect(larger.amountOut * sale.amountIn * 100n).toBeGreaterThanOrEqual(sale.amountOut * larger.amountIn * 99n);
});

test('behavior: NO_ROUTE if the token rejects the transfer', async () => {
  expect((await quoteOf('MOST', 'USDC', '1000')).amountOut).toBeGreaterThan(0n);
  for (const [symbol, size] of [
    ['MOST', '1000.1'],
    ['ALL', '10'],
    ['SURCHARGE', '10'],
  ] as const) {
    const refused = await quoteOf(symbol, 'USDC', size);
    expect(refused.route.legs, symbol).toEqual([]);
    expect(codesOf(refused)).toContain('NO_ROUTE');
  }
});

test('behavior: a quote includes the price effect of a token that sells collected taxes during the sale', async () => {
  const first = await quoteOf('SWAPBACK', 'WETH', '100');
  const truth = await executed(chain, first.route.legs, first.amountIn, opened.trader);
  expect(truth?.received).toBe(first.amountOut);
  const rested = await withChainRestored(chain, async () => {
    await opened.builder.perform([
      call('SWAPBACK', swapBackTokenArtifact.abi, 'sellInto', [makerAddress, makerAddress, 0n]),
    ]);
    return quoteOf('SWAPBACK', 'WETH', '100');
  });
  expect(rested.amountOut).toBeGreaterThan((first.amountOut * 101n) / 100n);
});

test('behavior: a first sale takes more requests to find the storage slots than later sales', async () => {
  const { engine, endpoint } = engineOn(chain);
  await engine.start();
  const requests: [string, number][] = [];
  for (const symbol of ['TAXED', 'REFLECT', 'WETH', 'FAR', 'SEALED', 'TAXED', 'REFLECT', 'WETH', 'FAR', 'SEALED']) {
    const before = endpoint.requests;
    const tokenIn: Address = tokenOf(chain, symbol).address;
    await engine.quote({ chain: 'base', tokenIn, tokenOut: chain.usdc, size: { tokenIn: '3' } });
    requests.push([symbol, endpoint.requests - before]);
  }
  expect(requests).toEqual([
    // Including the read of the factories' logs, except for WETH.
    ['TAXED', 5],
    ['REFLECT', 5],
    ['WETH', 3],
    ['FAR', 6],
    ['SEALED', 9],
    ['TAXED', 1],
    ['REFLECT', 2],
    ['WETH', 1],
    ['FAR', 2],
    ['SEALED', 1],
  ]);
});
