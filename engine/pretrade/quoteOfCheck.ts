import { getAddress, numberToHex } from 'viem';
import type { Nodes } from '../chain/nodes.ts';
import { quote, type Validity } from '../quote/quote.ts';
import type { QuoteAnswer, QuoteQuery } from '../quote/quoteTypes.ts';
import type { ChainData } from '../quote/readFunded.ts';
import { type MarketReading, readMarket } from '../quote/readMarket.ts';
import { weighTransferability } from './axes/transferability.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { CheckInputs } from './checkInputs.ts';
import type { PretradeQuote } from './pretradeTypes.ts';
import { decimalsAgree } from './toAbsences.ts';
import type { ReadOptions, TokenReading } from './tokenReading.ts';

/**
 * Splits and further pools are searched if an identical order right before this one costs more than this, in bps. Unlike the
 * price impact, this excludes fees and taxes. In a pair it is about twice what the order itself moves the price.
 */
const searchAboveBps = 400;

/**
 * Has the quote engine find the best executable plan at the check's block, where the quote lens is not enough: it compares
 * single routes over listed pools, or was not read. Undefined if its route suffices, or if the token cannot be bought.
 * @throws {ChainUnavailableError | DeadlineExceededError}
 */
export async function readPlannedMarket(
  data: ChainData,
  nodes: Nodes,
  reading: TokenReading,
  order: Order,
): Promise<CheckInputs['planned']> {
  const { market, exit, scenarios } = reading;
  if (order.token === order.stable || exit.exits.length === 0) return undefined;
  if (exit.decimals === undefined || !decimalsAgree(reading)) return undefined;
  if (market && isEnough(toQuote(data, order, { reading: market }, { ts: 0, validUntil: 0 }), reading))
    return undefined;
  if (weighTransferability(scenarios).canBuy === false) return undefined;
  const block = numberToHex(exit.blockNumber);
  const planned = await nodes.read((node) => readMarket(data, toQuery(order), node, block));
  return planned.reading.blockNumber === exit.blockNumber ? planned : 'unread';
}

/** The route of the quote lens is also enough if the pools are drained: then the verdict is about them. */
const isEnough = (
  { amountOut, priceImpactBps, worstCaseSlippageBps }: QuoteAnswer,
  { isThin }: Pick<TokenReading, 'isThin'>,
): boolean =>
  amountOut > 0n &&
  (isThin ||
    (priceImpactBps !== null &&
      worstCaseSlippageBps !== null &&
      worstCaseSlippageBps - priceImpactBps <= searchAboveBps));

type Quoted = { quote: PretradeQuote; gap: null } | { quote: null; gap: string };

/** The best quote USDC -> token at the size, or why there is none. */
export function quoteOfCheck(inputs: CheckInputs, trade: TransferFinding): Quoted {
  const { environment, token, stable, reading, planned } = inputs;
  if (token === stable) return { quote: null, gap: 'the token is USDC itself' };
  // If decimals() differs between readers, no price in whole tokens is meaningful.
  if (!decimalsAgree(reading)) return { quote: null, gap: 'decimals() returns different values to different callers' };
  const markets = [reading.market && { reading: reading.market }, planned === 'unread' ? undefined : planned];
  const [best] = markets
    .flatMap((market) => (market ? [toQuote(environment.data, inputs, market, inputs)] : []))
    .sort((a, b) => Number(b.amountOut > a.amountOut) - Number(a.amountOut > b.amountOut));
  if (!best) return { quote: null, gap: 'the node did not return the market at this block' };
  if (best.amountOut === 0n) return { quote: null, gap: gapOf(best, inputs, trade) };
  const { tokenIn, tokenOut, executablePrice, priceImpactBps, depthAtSize, worstCaseSlippageBps, confidence } = best;
  const figures = { executablePrice, priceImpactBps, depthAtSize, worstCaseSlippageBps, confidence };
  return { quote: { direction: 'USDC->token', tokenIn, tokenOut, ...figures }, gap: null };
}

/** Why there is no route. Trades are simulated in a single pool, without a route from USDC and with a size that fits it. */
function gapOf(
  { flags }: QuoteAnswer,
  { planned, reading }: CheckInputs,
  { canBuy, wholeSizeCanSell }: TransferFinding,
): string {
  if (planned === 'unread') return 'the node did not return all pools, so a route may be missing';
  if (reading.exit.decimals === undefined) return 'decimals() cannot be read';
  if (canBuy === false) return 'simulated purchases are refused';
  if (reading.exit.exits.length === 0) return 'no measured pool trades the token';
  const [plan] = reading.plans;
  if (canBuy && wholeSizeCanSell !== false && plan)
    return `no route fills this size, although a simulated purchase in ${plan.venue} pool ${getAddress(plan.pool.pool)} works`;
  return flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size.';
}

type Order = Pick<ReadOptions, 'token' | 'sizeUsd' | 'stable'>;

const toQuote = (data: ChainData, order: Order, market: MarketReading, { ts, validUntil }: Validity): QuoteAnswer =>
  quote(data, toQuery(order), market, { ts, validUntil });

const toQuery = ({ token, sizeUsd, stable }: Order): QuoteQuery => ({
  chain: 'base',
  tokenIn: stable,
  tokenOut: token,
  size: { tokenIn: sizeUsd },
});
