import { type Address, numberToHex } from 'viem';
import { createJudge, type Judge } from '../../sandbox/index.ts';
import { readHoldings } from '../engine/cases.ts';
import { engineOn, toDecimal, tokenOf } from '../engine/market.ts';
import { type AlphaRouterClient, createAlphaRouter, expected, type RouterEffort } from './alphaRouter.mjs';
import { createRouterTrader, type Execution, executeCall, executeLegs, type RouterTrader, toLegs } from './execute.ts';
import { type PairKind, type ProofMarket, pairs, sizesUsd } from './markets.ts';
import { type ProofChain, startUniswapChain } from './uniswapChain.ts';

/** One question, and what both sides paid. Amounts are whole tokens of tokenOut. */
export interface Comparison {
  market: string;
  effort: RouterEffort;
  kind: PairKind;
  usd: number;
  about: string;
  /** Above zero where truefill pays more; null if the router's plan does not sell the whole order. */
  differenceBps: number | null;
  truefill: Side | undefined;
  router: Side | undefined;
}

interface Side {
  received: string;
  gasUsed: number;
  net: number;
  legs: string[];
}

interface Question {
  kind: PairKind;
  usd: number;
  tokenIn: ReturnType<typeof tokenOf>;
  tokenOut: ReturnType<typeof tokenOf>;
  amountIn: bigint;
}

const efforts: readonly RouterEffort[] = ['default', 'wide'];

/** Asks both sides the questions that `isAsked` accepts by description and index, on a new chain with this market. */
export async function compareOn(
  market: ProofMarket,
  gasPriceWei: bigint,
  isAsked: (about: string, index: number) => boolean,
): Promise<Comparison[]> {
  const proof = await startUniswapChain(market);
  try {
    const { chain, node, trader, pools } = proof;
    const judge = await createJudge(chain, trader);
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
    const setup = { proof, judge, router, account };
    const { engine } = engineOn(chain);
    await engine.start();
    const rows: Comparison[] = [];
    for (const [index, question] of questionsOn(proof).entries()) {
      if (!isAsked(describe(question), index)) continue;
      const { tokenIn, tokenOut, amountIn } = question;
      // The engine reads its gas price from the block.
      await node.call('anvil_setNextBlockBaseFeePerGas', [numberToHex(gasPriceWei)]);
      await node.call('evm_mine');
      const answer = await engine.quote({
        chain: 'base',
        tokenIn: tokenIn.address,
        tokenOut: tokenOut.address,
        size: { tokenIn: toDecimal(amountIn, tokenIn.decimals) },
      });
      const { legs } = answer.route;
      const own = legs.length > 0 ? await executeLegs(judge, legs, amountIn) : undefined;
      if (own?.received !== (legs.length > 0 ? answer.amountOut : undefined)) {
        throw new Error(`${describe(question)}: quoted ${answer.amountOut}, paid ${own?.received}.`);
      }
      const truefill = own && toSide(proof, tokenOut, own, gasPriceWei, legs);
      for (const effort of efforts) {
        const router = (await executeRouter(setup, question, effort))
          // The better of its own call and of the executor that truefill's plan used.
          .map(({ legs: through, ...paid }) => toSide(proof, tokenOut, paid, gasPriceWei, through))
          .toSorted((a, b) => b.net - a.net)[0];
        const difference = router && ((truefill?.net ?? 0) / router.net - 1) * 10_000;
        const row: Comparison = {
          market: market.name,
          effort,
          kind: question.kind,
          usd: question.usd,
          about: describe(question),
          differenceBps: difference === undefined ? null : Math.round(difference * 1_000) / 1_000,
          truefill,
          router,
        };
        console.log(`${market.name}, ${effort}: ${row.about}: ${row.differenceBps ?? 'router has no full fill'}`);
        rows.push(row);
      }
    }
    return rows;
  } finally {
    await proof.close();
  }
}

/** Both directions of every pair, in every size. */
function questionsOn({ chain, usdOf }: ProofChain): Question[] {
  return pairs.flatMap(({ kind, pair }) =>
    [pair, pair.toReversed()].flatMap(([from, to]) =>
      sizesUsd.map((usd) => {
        const [tokenIn, tokenOut] = [tokenOf(chain, from ?? ''), tokenOf(chain, to ?? '')];
        const whole = usd / (usdOf.get(tokenIn.address) ?? 1);
        const amountIn = (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(tokenIn.decimals)) / 1_000_000n;
        return { kind, usd, tokenIn, tokenOut, amountIn };
      }),
    ),
  );
}

interface RouterSetup {
  proof: ProofChain;
  judge: Judge;
  router: AlphaRouterClient;
  account: RouterTrader;
}

type RouterExecution = Execution & { legs: { venue: string; pool: string; amountIn?: bigint }[] };

/** Executes the router's plan by the executor and by its own call; both must pay the same. Empty without a full fill. */
async function executeRouter(
  { proof, judge, router, account }: RouterSetup,
  { tokenIn, tokenOut, amountIn }: Question,
  effort: RouterEffort,
): Promise<RouterExecution[]> {
  const answer = await router.route({ tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn }, effort);
  const legs = answer && (await toLegs(proof, judge, answer));
  const byLegs = legs && (await executeLegs(judge, legs, amountIn));
  if (!byLegs) return [];
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

const describe = ({ usd, tokenIn, tokenOut }: Question) => `${usd} USD of ${tokenIn.symbol} to ${tokenOut.symbol}`;
