import { type Address, isAddressEqual } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createOrderRunner,
  createPublishedQuoters,
  type ExecutableLeg,
  type PublishedQuoters,
  type QuoterQuery,
  type Sandbox,
  type SandboxChain,
  type SandboxPool,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { isFullSize } from '../support/proofSize.ts';
import { createCases, readHoldings } from './cases.ts';
import { engineOn, poolsOfPair, seeded } from './market.ts';
import { moveMarket } from './moveMarket.ts';

const chains = ['base', 'polygon', 'arbitrum'] as const;
const casesPerChain = isFullSize ? 250 : 60;
const casesBetweenTrades = 25;

/** Tokens between two legs: the routing assets of engine/venues/deployments that the sandbox has. */
const bases = {
  base: ['WETH', 'USDC', 'USDT', 'DAI', 'cbBTC'],
  polygon: ['WPOL', 'USDC', 'USDC.e', 'USDT', 'WETH', 'DAI', 'WBTC'],
  arbitrum: ['WETH', 'USDC', 'USDC.e', 'USDT', 'DAI', 'WBTC'],
};

let sandbox: Sandbox;
let trader: SandboxWallet;
beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(() => sandbox?.close());

/** A route over one or two pools, with its output by published quoters. */
interface PricedRoute {
  legs: ExecutableLeg[];
  venues: string[];
  amountOut: bigint;
}

const toLeg = ({ venue, pool }: SandboxPool, tokenIn: Address, tokenOut: Address): ExecutableLeg => ({
  venue,
  pool,
  tokenIn,
  tokenOut,
});

/** Prices every direct pool and, over each routing asset, every pair of pools, by the venues' own quoters. */
async function priceRoutes(
  chain: SandboxChain,
  quoters: PublishedQuoters,
  tokenIn: Address,
  tokenOut: Address,
  amountIn: bigint,
): Promise<PricedRoute[]> {
  const middles = chain.tokens
    .filter(({ symbol }) => bases[chain.name].includes(symbol))
    .map(({ address }) => address)
    .filter((middle) => !isAddressEqual(middle, tokenIn) && !isAddressEqual(middle, tokenOut));
  const price = async <T extends QuoterQuery>(queries: readonly T[]) => {
    const answers = await quoters.quote(queries);
    return queries.flatMap((query, index) => {
      const amountOut = answers[index];
      return typeof amountOut === 'bigint' && amountOut > 0n ? [{ ...query, amountOut }] : [];
    });
  };
  const firsts = await price(
    [tokenOut, ...middles].flatMap((to) =>
      poolsOfPair(chain, tokenIn, to).map((pool) => ({ pool, tokenIn, tokenOut: to, amountIn })),
    ),
  );
  const direct = firsts.filter((first) => isAddressEqual(first.tokenOut, tokenOut));
  const firstLegs = firsts.filter((first) => !direct.includes(first));
  const seconds = firstLegs.flatMap((first) =>
    poolsOfPair(chain, first.tokenOut, tokenOut).map((pool) => ({
      pool,
      tokenIn: first.tokenOut,
      tokenOut,
      amountIn: first.amountOut,
      first,
    })),
  );
  return [
    ...direct.map((hop) => ({
      legs: [toLeg(hop.pool, tokenIn, tokenOut)],
      venues: [hop.pool.venue],
      amountOut: hop.amountOut,
    })),
    ...(await price(seconds)).map(({ first, pool, amountOut }) => ({
      legs: [toLeg(first.pool, tokenIn, first.tokenOut), toLeg(pool, first.tokenOut, tokenOut)],
      venues: [first.pool.venue, pool.venue],
      amountOut,
    })),
  ];
}

const keyOf = (legs: readonly ExecutableLeg[]) => legs.map(({ pool }) => pool.toLowerCase()).join();

describe.concurrent('best execution', () => {
  test.each(chains)(
    'default: on %s no full fill by published quoters exceeds the quote, and the same pools have the same output',
    async (name) => {
      const chain = sandbox.chains[name] as SandboxChain;
      const { engine } = engineOn(chain);
      const quoters = await createPublishedQuoters(chain);
      const runner = await createOrderRunner(chain, trader);
      const holdings = await readHoldings(chain, trader.address);
      const random = seeded(7_071 + chains.indexOf(name));
      const nextCase = createCases(chain, holdings, random);
      const faults: string[] = [];
      const seen = { compared: 0, equal: 0, twoLegs: 0, partial: 0, unread: 0, routes: 0 };
      const venues = new Set<string>();

      for (let index = 0; index < casesPerChain; index++) {
        if (index % casesBetweenTrades === 0) await moveMarket(engine, runner, nextCase(), holdings, random);
        const { query, tokenIn, tokenOut } = nextCase();
        const quote = await engine.quote(query);
        const { amountIn, amountOut, route } = quote;
        const about = `${amountIn} ${tokenIn.symbol} -> ${tokenOut.symbol}, quoted ${amountOut}`;
        if (quote.flags.some(({ code }) => code === 'NOT_A_TOKEN') || amountIn === 0n) continue;
        const routes = await priceRoutes(chain, quoters, query.tokenIn, query.tokenOut, amountIn);
        seen.routes += routes.length;
        for (const found of routes) for (const venue of found.venues) venues.add(venue);

        const same = routes.find(({ legs }) => keyOf(legs) === keyOf(route.legs));
        if (same && same.amountOut !== amountOut) faults.push(`${about}: ${same.venues} quotes ${same.amountOut}`);
        if (same) seen.equal += 1;
        if (same && route.legs.length === 2) seen.twoLegs += 1;
        if (routes.length > 0) seen.compared += 1;

        for (const { legs, venues: through, amountOut: better } of routes) {
          if (better <= amountOut) continue;
          // Some quoters also return the output of a partial fill, so execute the swap.
          const { movements } = await runner.tryOrders([{ legs, amountIn }]);
          const [paid] = movements;
          if (!paid || paid.received <= amountOut) seen.partial += 1;
          else if (quote.flags.some(({ code }) => code === 'VENUE_UNREAD')) seen.unread += 1;
          else faults.push(`${about}: ${through} ${keyOf(legs)} pays ${paid.received}`);
        }
      }
      console.log(name, JSON.stringify(seen), [...venues].join(' '));
      expect(faults).toEqual([]);
      const withoutQuoter = ['pancakeswap-v2'];
      const all = new Set(chain.pools.map(({ venue }) => venue).filter((venue) => !withoutQuoter.includes(venue)));
      expect([...venues].sort()).toEqual([...all].sort());
      expect(seen.equal).toBeGreaterThan(casesPerChain / 2);
      expect(seen.twoLegs).toBeGreaterThan(0);
      expect(seen.unread).toBeLessThan(casesPerChain / 50);
    },
    300_000,
  );
});
