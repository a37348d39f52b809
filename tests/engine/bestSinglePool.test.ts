import { encodeAbiParameters, encodeFunctionData, type Hex, numberToHex, parseAbi, parseAbiParameters } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import { type Action, makerAddress, type SandboxChain, type SandboxPool } from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { placed } from './ledgerToken.ts';
import { engineOn, poolsOfPair, seeded, sizeBetween, toDecimal, tokenOf } from './market.ts';

const placement = placed('TICKS', honestTokenArtifact, ['Ticks', 'TICKS', 18, makerAddress, 10n ** 30n]);
const tokens = [{ symbol: 'TICKS', address: placement.address, decimals: 18, usd: 3, about: 'TICKS', placement }];
// Pools of one pair with liquidity in many ranges. The engine bounds each pool's output and executes only pools that can
// win.
const shapes = [
  { venue: 'uniswap-v3', tier: 500, spacing: 10 },
  { venue: 'uniswap-v3', tier: 3000, spacing: 60 },
  { venue: 'aerodrome-slipstream', tier: 100, spacing: 100 },
  { venue: 'pancakeswap-v3', tier: 500, spacing: 10 },
  { venue: 'uniswap-v4', tier: 500, spacing: 10 },
  { venue: 'uniswap-v4', tier: 3000, spacing: 60 },
];
const pools = shapes.map(({ venue, tier }, index) => ({
  venue,
  tier,
  pair: ['TICKS', 'WETH'] as const,
  usd: 20_000,
  skewBps: index * 3 - 7,
}));
const manager = '0x498581fF718922c3f8e6A244956aF099B2652b2b'; // Uniswap v4's PoolManager on Base

const opened = useOpenChain('base');
let chain: SandboxChain;

beforeAll(async () => {
  chain = await opened.builder.list({ tokens, pools });
  const random = seeded(7);
  const market = poolsOfPair(chain, tokenOf(chain, 'TICKS').address, chain.wrappedNative);
  const ranges = market.flatMap((pool, index) =>
    Array.from({ length: 7 }, () => toMintAction(pool, shapes[index]?.spacing ?? 60, random)),
  );
  await opened.builder.perform(ranges);
});

/** The action that adds one range around or away from the price, with 1 to 31 times the liquidity of the full range. */
function toMintAction({ pool, token0, token1, key }: SandboxPool, spacing: number, random: () => number): Action {
  const [price0, price1] = [token0, token1].map((token) => (token === chain.wrappedNative ? 3000 : 3)) as [
    number,
    number,
  ];
  const tick = Math.log(price0 / price1) / Math.log(1.0001);
  const distance = (random() < 0.5 ? -1 : 1) * random() * 900;
  const lower = Math.floor((tick + distance - random() * 200) / spacing) * spacing;
  const upper = Math.ceil((tick + distance + random() * 200) / spacing) * spacing + spacing;
  // 20,000 USD a side: 6666 TICKS and 6.7 WETH.
  const liquidity = BigInt(Math.floor((1 + random() * 30) * 211)) * 10n ** 18n;
  if (key) {
    const params = {
      tickLower: lower,
      tickUpper: upper,
      liquidityDelta: liquidity,
      salt: numberToHex(0, { size: 32 }),
    };
    const { abi } = marketMakerArtifact;
    const data = encodeFunctionData({ abi, functionName: 'addV4Liquidity', args: [manager, key, params] });
    return { to: makerAddress, data };
  }
  const abi = parseAbi([
    'function mint(address recipient, int24 lower, int24 upper, uint128 liquidity, bytes data) returns (uint256, uint256)',
  ]);
  const payment: Hex = encodeAbiParameters(parseAbiParameters('address, address'), [token0, token1]);
  const args = [makerAddress, lower, upper, liquidity, payment] as const;
  return { to: pool as Hex, data: encodeFunctionData({ abi, functionName: 'mint', args }) };
}

test('default: no pool of the pair alone pays more than the quote', async () => {
  const { engine } = engineOn(chain);
  const { address } = tokenOf(chain, 'TICKS');
  const weth = chain.wrappedNative;
  const market = poolsOfPair(chain, address, weth);
  const random = seeded(11);
  const faults: string[] = [];
  const winners = new Set<Hex>();
  for (let index = 0; index < (isFullSize ? 40 : 12); index++) {
    const [tokenIn, tokenOut] = index % 2 ? [address, weth] : [weth, address];
    const amountIn = sizeBetween((tokenIn === weth ? 60n : 60_000n) * 10n ** 18n, () => 0.6 + 0.4 * random());
    const quote = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: toDecimal(amountIn, 18) } });
    winners.add(quote.route.legs[0]?.pool ?? '0x');
    const paid = await executed(chain, quote.route.legs, amountIn, opened.trader);
    if (paid?.received !== quote.amountOut)
      faults.push(`${amountIn} ${tokenIn}: quoted ${quote.amountOut}, paid ${paid?.received}`);
    for (const { venue, pool } of market) {
      const single = await executed(chain, [{ venue, pool, tokenIn, tokenOut }], amountIn, opened.trader);
      if (single && single.spent === amountIn && single.received > quote.amountOut) {
        faults.push(`${amountIn} ${tokenIn}: quoted ${quote.amountOut}, ${venue} ${pool} pays ${single.received}`);
      }
    }
  }
  expect(faults).toEqual([]);
  expect(winners.size).toBeGreaterThan(2);
}, 120_000);
