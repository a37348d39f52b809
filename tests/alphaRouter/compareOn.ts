import { type Address, numberToHex } from 'viem';
import type { Engine } from '../../engine/index.ts';
import { createOrderRunner, type OrderRunner } from '../../sandbox/index.ts';
import { readHoldings } from '../engine/cases.ts';
import { engineOn, toDecimal, tokenOf } from '../engine/market.ts';
import { type AlphaRouterClient, createAlphaRouter, expected, type RouterEffort } from './alphaRouter.mjs';
import { createBound } from './bound.ts';
import type { Comparison, Side } from './comparison.ts';
import { createRouterTrader, type Execution, executeCall, executeLegs, type RouterTrader, toLegs } from './execute.ts';
import type { PairKind, ProofMarket } from './markets.ts';
import { type ProofChain, startUniswapChain } from './uniswapChain.ts';

interface Query {
  kind: PairKind;
  usd: number;
  tokenIn: ReturnType<typeof tokenOf>;
  tokenOut: ReturnType<typeof tokenOf>;
  amountIn: bigint;
}

const efforts: readonly RouterEffort[] = ['default', 'wide'];

/** Compares both sides on a new chain with this market, for the orders that `isSelected` accepts. */
export async function compareOn(
  market: ProofMarket,
  gasPriceWei: bigint,
  isSelected: (about: string, index: number) => boolean,
): Promise<Comparison[]> {
  const proof = await startUniswapChain(market);
  try {
    const { chain, node, trader, pools } = proof;
    const runner = await createOrderRunner(chain, trader);
    const holdings = await readHoldings(chain, trader.address);
    const account = await createRouterTrader(proof, holdings, expected.universalRouter);
    const router = createAlphaRouter({
      rpcUrl: chain.rpcUrl,
      chainId: chain.chainId,
      tokens: chain.tokens,
      pools,
      gasPriceWei,
      recipient: account.address,
    });
    const setup: Setup = { proof, runner, router, account, bound: await createBound(proof), gasPriceWei };
    const { engine } = engineOn(chain);
    await engine.start();
    const rows: Comparison[] = [];
    for (const [index, query] of queriesOn(proof, market).entries()) {
      if (!isSelected(describe(query), index)) continue;
      // The engine reads its gas price from the block.
      await node.call('anvil_setNextBlockBaseFeePerGas', [numberToHex(gasPriceWei)]);
      await node.call('evm_mine');
      const own = await executeTruefill(setup, engine, query);
      for (const effort of efforts) {
        const row = { market: market.name, effort, ...(await compare(setup, query, own, effort)) };
        const { about, differenceBps, boundBps } = row;
        console.log(`${market.name}, ${effort}: ${about}: ${differenceBps ?? 'router has no full fill'}`, boundBps);
        rows.push(row);
      }
    }
    return rows;
  } finally {
    await proof.close();
  }
}

interface Setup {
  proof: ProofChain;
  runner: OrderRunner;
  router: AlphaRouterClient;
  account: RouterTrader;
  bound: Awaited<ReturnType<typeof createBound>>;
  gasPriceWei: bigint;
}

type TruefillExecution = Execution & { side: Side };

/** Executes truefill's route; undefined without one. @throws if the output differs from the quote */
async function executeTruefill(
  { proof, runner, gasPriceWei }: Setup,
  engine: Engine,
  query: Query,
): Promise<TruefillExecution | undefined> {
  const { tokenIn, tokenOut, amountIn } = query;
  const { route, amountOut } = await engine.quote({
    chain: 'base',
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    size: { tokenIn: toDecimal(amountIn, tokenIn.decimals) },
  });
  const { legs } = route;
  if (legs.length === 0) return undefined;
  const paid = await executeLegs(runner, legs, amountIn);
  if (paid?.received !== amountOut) {
    throw new Error(`${describe(query)}: quoted ${amountOut}, paid ${paid?.received}.`);
  }
  return { ...paid, side: toSide(proof, tokenOut, paid, gasPriceWei, legs) };
}

async function compare(
  setup: Setup,
  query: Query,
  own: TruefillExecution | undefined,
  effort: RouterEffort,
): Promise<Omit<Comparison, 'market' | 'effort'>> {
  const { proof, gasPriceWei } = setup;
  const { kind, usd, tokenOut } = query;
  const router = (await executeRouter(setup, query, effort))
    // The better result of the router's own call and of the executor that truefill's plan uses.
    .map(({ legs: through, ...paid }) => toSide(proof, tokenOut, paid, gasPriceWei, through))
    .toSorted((a, b) => b.net - a.net)[0];
  const differenceBps = router ? bpsAbove(own?.side.net ?? 0, router.net) : null;
  const { tokenIn, amountIn } = query;
  const most =
    setup.bound({ tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn }) / 10 ** tokenOut.decimals;
  const belowBound = (side: Side | undefined) => (side ? bpsAbove(most, Number(side.received)) : null);
  const boundBps = { truefill: belowBound(own?.side), router: belowBound(router) };
  const lostPart = own ? 1 - (Number(own.side.received) * (proof.usdOf.get(tokenOut.address) ?? 1)) / usd : null;
  return { kind, usd, about: describe(query), differenceBps, boundBps, lostPart, truefill: own?.side, router };
}

const bpsAbove = (value: number, other: number) => Math.round((value / other - 1) * 10_000_000) / 1_000;

/** Every order of the market, in every size. */
function queriesOn({ chain, usdOf }: ProofChain, { orders, sizesUsd }: ProofMarket): Query[] {
  return orders.flatMap(({ kind, pair: [from, to] }) =>
    sizesUsd.map((usd) => {
      const [tokenIn, tokenOut] = [tokenOf(chain, from), tokenOf(chain, to)];
      const whole = usd / (usdOf.get(tokenIn.address) ?? 1);
      const amountIn = (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(tokenIn.decimals)) / 1_000_000n;
      return { kind, usd, tokenIn, tokenOut, amountIn };
    }),
  );
}

type RouterExecution = Execution & { legs: { venue: string; pool: string; amountIn?: bigint }[] };

/** Executes the router's plan by the executor and by its own call. Empty without a full fill. @throws if they differ */
async function executeRouter(
  { proof, runner, router, account }: Setup,
  { tokenIn, tokenOut, amountIn }: Query,
  effort: RouterEffort,
): Promise<RouterExecution[]> {
  const answer = await router.route({ tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn }, effort);
  const legs = answer && (await toLegs(proof, runner, answer));
  // The router rounds the part of each route down.
  const sold = answer?.routes.reduce((sum, route) => sum + route.amountIn, 0n) ?? 0n;
  const byLegs = legs && (await executeLegs(runner, legs, sold));
  if (!byLegs || amountIn - sold > answer.routes.length) return [];
  const byCall = await executeCall(proof, account, answer, tokenOut.address);
  if (byLegs.received !== byCall.received) {
    throw new Error(`AlphaRouter's call pays ${byCall.received}, its routes ${byLegs.received}.`);
  }
  return [byLegs, byCall].map((paid) => ({ ...paid, legs }));
}

function toSide(
  { chain, usdOf }: ProofChain,
  tokenOut: { address: Address; decimals: number },
  { received, gasUsed }: Execution,
  gasPriceWei: bigint,
  legs: readonly { venue: string; pool: string; amountIn?: bigint }[],
): Side {
  const nativeUsd = usdOf.get(chain.wrappedNative) ?? 0;
  const gasUsd = (Number(gasUsed * gasPriceWei) / 1e18) * nativeUsd;
  const whole = toDecimal(received, tokenOut.decimals);
  const net = Number(whole) - gasUsd / (usdOf.get(tokenOut.address) ?? 1);
  const through = legs.map(({ venue, pool, amountIn }) => `${venue} ${pool} ${amountIn}`);
  return { received: whole, gasUsed: Number(gasUsed), net, legs: through };
}

const describe = ({ usd, tokenIn, tokenOut }: Query) => `${usd} USD of ${tokenIn.symbol} to ${tokenOut.symbol}`;
