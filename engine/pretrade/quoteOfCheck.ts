import { getAddress, numberToHex } from 'viem';
import type { AtNode } from '../chain/nodeAttempt.ts';
import { type Nodes, readAtBlock } from '../chain/nodes.ts';
import { ChainUnavailableError, DeadlineExceededError } from '../errors.ts';
import { quote } from '../quote/answer/quote.ts';
import type { ChainData } from '../quote/chainData.ts';
import type { Market } from '../quote/market/market.ts';
import { type PlannedMarket, planMarket } from '../quote/market/planMarket.ts';
import { readMarket, toMarket, toSearchedMarket } from '../quote/market/readMarket.ts';
import type { QuoteAnswer, QuoteQuery } from '../quote/quoteTypes.ts';
import { weighTransferability } from './axes/transferability.ts';
import type { TransferFinding } from './axes/transferFinding.ts';
import type { CheckInputs } from './checkInputs.ts';
import type { PretradeQuote } from './pretradeTypes.ts';
import { decimalsAgree, type TokenReading } from './tokenReading.ts';

/**
 * Further pools are searched in logs if an identical order right before this one costs more than this, in bps of the output.
 * Unlike the price impact, this excludes fees and taxes. In a pair it is about twice what the order itself moves the price.
 */
const searchAboveBps = 400n;

/**
 * The market of the quote with its best plan, at the check's block. Sends nothing if the check executed the plan. If the plan
 * is poor, the market is read again with pools that only logs contain. Undefined if the token cannot be quoted.
 * @throws {ChainUnavailableError | DeadlineExceededError}
 */
export async function readPlannedMarket(
  data: ChainData,
  nodes: Nodes,
  reading: TokenReading,
  query: QuoteQuery,
): Promise<CheckInputs['planned']> {
  const { market, exit, scenarios } = reading;
  if (query.tokenIn === query.tokenOut || exit.exits.length === 0) return undefined;
  if (exit.decimals === undefined || !decimalsAgree(reading)) return undefined;
  const atBlock = <T>(at: AtNode<T>) => readAtBlock(nodes, reading.block, at);
  const planned = market && (await atBlock((node) => planMarket(data, query, market, node)));
  const own = planned && toMarket(planned);
  if (planned && isEnough(planned, reading)) return own;
  // The market contains the pools of logs already.
  if (planned?.found?.best && planned.recalled.gap !== 'pending') return toSearchedMarket(data, planned);
  if (weighTransferability(scenarios).canBuy === false) return own;
  const block = numberToHex(exit.blockNumber);
  // A new market waits for the logs.
  data.markets.forget(query);
  const further = await orIfUnread(
    atBlock((node) => readMarket(data, query, node, block)),
    'unread' as const,
  );
  if (further !== 'unread' && outputOf(further) >= outputOf(own)) return further;
  return own?.found?.best ? own : 'unread';
}

const outputOf = (market: Market | undefined): bigint => market?.found?.best?.amountOut ?? 0n;

/** Listed pools are also enough if they are drained: then the verdict is about them. */
function isEnough({ found }: PlannedMarket, { isThin }: Pick<TokenReading, 'isThin'>): boolean {
  if (!found?.best) return false;
  const { amountOut, secondAmountOut = 0n } = found.best;
  return isThin || (amountOut - secondAmountOut) * 10_000n <= amountOut * searchAboveBps;
}

type Quoted = { quote: PretradeQuote; gap: null } | { quote: null; gap: string };

/** The best quote USDC -> token at the size, or why there is none. */
export function quoteOfCheck(inputs: CheckInputs, trade: TransferFinding): Quoted {
  const { environment, token, marketQuery, reading, planned, ts, validUntil } = inputs;
  if (token === marketQuery.tokenIn) return { quote: null, gap: 'the token is USDC itself' };
  // If decimals() differs between readers, no price in whole tokens is meaningful.
  if (!decimalsAgree(reading)) return { quote: null, gap: 'decimals() returns different values to different callers' };
  const best =
    planned && planned !== 'unread' ? quote(environment.data, marketQuery, planned, { ts, validUntil }) : undefined;
  if (!best || best.amountOut === 0n) return { quote: null, gap: gapOf(best?.flags, inputs, trade) };
  const { tokenIn, tokenOut, executablePrice, priceImpactBps, depthAtSize, worstCaseSlippageBps, confidence } = best;
  const figures = { executablePrice, priceImpactBps, depthAtSize, worstCaseSlippageBps, confidence };
  return { quote: { direction: 'USDC->token', tokenIn, tokenOut, ...figures }, gap: null };
}

/** Why there is no route. Trades are simulated in a single pool, without a route from USDC and with a size that fits it. */
function gapOf(
  flags: QuoteAnswer['flags'] = [],
  { planned, reading }: CheckInputs,
  { canBuy, wholeSizeCanSell }: TransferFinding,
): string {
  if (planned === 'unread') {
    return reading.market
      ? 'the node did not return all pools, so a route may be missing'
      : 'the node did not return the market at this block';
  }
  if (reading.exit.decimals === undefined) return 'decimals() cannot be read';
  if (canBuy === false) return 'simulated purchases are refused';
  if (reading.exit.exits.length === 0) return 'no measured pool trades the token';
  const [plan] = reading.plans;
  if (canBuy && wholeSizeCanSell !== false && plan)
    return `no route fills this size, although a simulated purchase in ${plan.venue} pool ${getAddress(plan.pool.pool)} works`;
  return flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size.';
}

/** `instead` if the read fails: a failure after the verdict must not lose the verdict. */
export async function orIfUnread<T, U>(work: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof DeadlineExceededError) return instead;
    throw error;
  }
}
