import { type Address, createPublicClient, http, parseAbi, parseUnits } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { taxedTokenArtifact } from '../../contracts/artifacts/sandbox/TaxedToken.ts';
import type { ExecutableLeg, PoolPlan, SandboxChain, SandboxPool, TokenPlan } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn, poolsOfPair, tokenOf } from './market.ts';

/**
 * DST has pools against AERO and VIRTUAL only. The best plans pass AERO second in SRC > ZORA > AERO > DST, and first in
 * SRC > AERO > VIRTUAL > DST.
 */

const plain = (symbol: string) => ledgerToken(symbol, 1, taxedTokenArtifact, [[0, 0, 0]]);
/** A routing asset that the sandbox does not have. */
function routingAsset(symbol: string, address: Address): TokenPlan {
  const { placement, ...token } = plain(symbol);
  return { ...token, address, ...(placement && { placement: { ...placement, address } }) };
}
const virtual = routingAsset('VIRTUAL', '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b');
const zora = routingAsset('ZORA', '0x1111111111166b7FE7bd91427724B487980aFc69');
const pair = (a: string, b: string, usd: number): PoolPlan => ({ venue: 'uniswap-v2', pair: [a, b], usd });
const pools = [
  pair('SRC', 'ZORA', 3_000_000),
  pair('SRC', 'AERO', 150_000),
  pair('ZORA', 'AERO', 2_000_000),
  pair('AERO', 'VIRTUAL', 2_000_000),
  pair('AERO', 'DST', 200_000),
  pair('VIRTUAL', 'DST', 2_000_000),
];

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({ tokens: [plain('SRC'), virtual, zora, plain('DST')], pools });
});

interface Pair {
  pool: Address;
  token0: Address;
  reserves: readonly [bigint, bigint];
}

const abi = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function token0() view returns (address)',
]);

const addressOf = (symbol: string) => tokenOf(chain, symbol).address;

async function readPair([a, b]: readonly [string, string]): Promise<Pair> {
  const [listed] = poolsOfPair(chain, addressOf(a), addressOf(b)) as [SandboxPool];
  const address = listed.pool as Address;
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const [reserve0, reserve1] = await client.readContract({ abi, address, functionName: 'getReserves' });
  const token0 = await client.readContract({ abi, address, functionName: 'token0' });
  return { pool: address, token0, reserves: [reserve0, reserve1] };
}

/** The formula of Uniswap v2's library. */
function sell({ token0, reserves }: Pair, symbol: string, amountIn: bigint): bigint {
  const [reserveIn, reserveOut] = addressOf(symbol) === token0 ? reserves : [reserves[1], reserves[0]];
  return (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n);
}

/** Legs in the only order that executes all of them. */
const hops = [
  ['SRC', 'ZORA'],
  ['SRC', 'AERO'],
  ['ZORA', 'AERO'],
  ['AERO', 'VIRTUAL'],
  ['AERO', 'DST'],
  ['VIRTUAL', 'DST'],
] as const;

interface Filled {
  sold: bigint[];
  amountOut: bigint;
}

/** The best of all plans on a grid of 1/200 of the order, then on two finer ones around it. */
function findOptimum(market: readonly Pair[], amountIn: bigint): Filled {
  const [srcZora, srcAero, zoraAero, aeroVirtual, aeroDst, virtualDst] = market as [Pair, Pair, Pair, Pair, Pair, Pair];
  const fill = (toZora: bigint, toDst: bigint, parts: bigint): Filled => {
    const first = (amountIn * toZora) / parts;
    const zora = sell(srcZora, 'SRC', first);
    const aero = sell(srcAero, 'SRC', amountIn - first) + sell(zoraAero, 'ZORA', zora);
    const direct = (aero * toDst) / parts;
    const bought = sell(aeroVirtual, 'AERO', aero - direct);
    const amountOut = sell(aeroDst, 'AERO', direct) + sell(virtualDst, 'VIRTUAL', bought);
    return { sold: [first, amountIn - first, zora, aero - direct, direct, bought], amountOut };
  };
  let best = { sold: [] as bigint[], amountOut: 0n, toZora: 100n, toDst: 100n };
  for (const [parts, around] of [
    [200n, 100n],
    [2_000n, 10n],
    [20_000n, 10n],
  ] as const) {
    const [zora, dst] = parts === 200n ? [100n, 100n] : [best.toZora * 10n, best.toDst * 10n];
    best = { ...fill(zora, dst, parts), toZora: zora, toDst: dst };
    for (let toZora = zora - around; toZora <= zora + around; toZora++) {
      for (let toDst = dst - around; toDst <= dst + around; toDst++) {
        if (toZora < 0n || toDst < 0n || toZora > parts || toDst > parts) continue;
        const filled = fill(toZora, toDst, parts);
        if (filled.amountOut > best.amountOut) best = { ...filled, toZora, toDst };
      }
    }
  }
  return best;
}

test.each([10_000, 40_000, 100_000])(
  'a quote of %s USD passes AERO first and second, and pays within 2 bps of the exhaustive optimum',
  async (usd) => {
    const amountIn = parseUnits(String(usd), 18);
    const { engine } = engineOn(chain);
    const [tokenIn, tokenOut] = [addressOf('SRC'), addressOf('DST')];
    const quote = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: String(usd) } });
    const paid = await executed(chain, quote.route.legs, amountIn, opened.trader);
    expect(paid?.received).toBe(quote.amountOut);

    const market = await Promise.all(hops.map(readPair));
    const optimum = findOptimum(market, amountIn);
    const legs = hops.map(([sold, bought], at): ExecutableLeg => {
      const [amount, { pool }] = [optimum.sold[at] as bigint, market[at] as Pair];
      return { venue: 'uniswap-v2', pool, tokenIn: addressOf(sold), tokenOut: addressOf(bought), amountIn: amount };
    });
    const reached = await executed(
      chain,
      legs.filter((leg) => leg.amountIn !== 0n),
      amountIn,
      opened.trader,
    );
    expect(reached?.received).toBe(optimum.amountOut);
    expect(quote.amountOut * 10_000n).toBeGreaterThanOrEqual(optimum.amountOut * 9_998n);

    const passed = quote.route.legs.map((leg) => `${leg.tokenIn} ${leg.tokenOut}`);
    for (const [sold, bought] of hops) expect(passed).toContain(`${addressOf(sold)} ${addressOf(bought)}`);
  },
);
