import { getAddress } from 'viem';
import { tooOldSeconds } from '../../chain/blockAge.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ChainData } from '../chainData.ts';
import { isBeyondSupply, type Market } from '../market/market.ts';
import { feeChangesFlags } from '../market/nextBlock.ts';
import { notCoveredFlags } from '../market/notCovered.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import type { Fill } from '../plan/executionTypes.ts';
import { feedReadingOf } from '../query/usdSources.ts';
import type { Flag, QuoteAnswer, QuoteQuery } from '../quoteTypes.ts';
import { executorRelease } from '../transaction/executorState.ts';
import { comparableRunnerUp, disagreementBps, ruleFor, unrouted } from './confidence.ts';
import { coverageOf } from './coverage.ts';
import {
  beyondSupplyFlag,
  gasFlags,
  noRouteFlag,
  notATokenFlag,
  oldBlockFlag,
  poolFlags,
  priceFlags,
  routerDependentFlag,
  saleUnpaidFlag,
  sizeOverflowFlag,
  sizeTruncatedFlag,
  type Unsized,
  unsizedFlag,
  venueUnreadFlag,
} from './flags.ts';
import { priceOf, ratio } from './ratio.ts';
import { rejectedFlags } from './rejectedFlags.ts';
import { noRoute, splitRouteFlag, toRoute } from './route.ts';
import { usdPriceFlags } from './usdFlags.ts';
import { valuesOf } from './usdPrices.ts';

/** Time of an answer and end of its validity, in milliseconds since the epoch. */
interface Validity {
  ts: number;
  validUntil: number;
}

/**
 * Turns a market at one block into the answer. Pure: sends no request. The plan is already executed; this function derives
 * prices, flags and confidence.
 */
export function quote(data: ChainData, query: QuoteQuery, market: Market, validity: Validity): QuoteAnswer {
  const { states, size, found } = market;
  const { deployment } = data;
  const coverage = coverageOf(market, data);
  const empty = emptyAnswer(query, market, validity, coverage.considered.length);
  const ageSeconds = tooOldSeconds(states.block.timestamp, validity.ts, data.oldBlockMs);
  const flags = ageSeconds === undefined ? [] : [oldBlockFlag(ageSeconds)];
  flags.push(...queryFlags(query, market, deployment, coverage.unread.length > 0));
  if (coverage.unread.length > 0) flags.push(venueUnreadFlag(coverage.unread));
  flags.push(...rejectedFlags(market));

  const best = found?.best;
  if (!best) {
    const unsized = findUnsized(query, market);
    const rule = ruleFor({
      ...unrouted,
      oldBlock: ageSeconds !== undefined,
      venueUnread: coverage.unread.length > 0,
      poolsMayBeMissing: market.logGap !== undefined,
    });
    if (isBeyondSupply(market)) flags.push(beyondSupplyFlag(market));
    else flags.push(unsized ? unsizedFlag(unsized) : noRouteFlag(coverage, market));
    flags.push(...confidenceFlags(rule));
    return { ...empty, confidence: rule.gives, flags };
  }

  const executor = best.byExecutor && executorRelease.address;
  // The best single route and the best one that shares no pool with it confirm or contradict each other.
  const { single = best, runnerUp } = found;
  const comparable = comparableRunnerUp(single, runnerUp);
  const { wrappedNative, pricingAssets } = deployment;
  // A pricing asset has no transfer tax.
  const saleUnpaid = best.isUnpaid === true && !pricingAssets.some(({ address }) => address === query.tokenIn);
  const prices = measurePrices(size, found, best, empty.decimals);
  const rule = ruleFor({
    oldBlock: ageSeconds !== undefined,
    routed: true,
    venueUnread: coverage.unread.length > 0,
    // A truncated search keeps the confidence of a route: anyone can cause it, by creating pools for less than a dollar.
    poolsMayBeMissing: market.logGap !== undefined && market.logGap !== 'truncated',
    hasMid: prices.spotPrice !== null,
    impactBps: prices.priceImpactBps,
    disagreementBps: comparable === undefined ? null : disagreementBps(single.amountOut, comparable),
    taxUnmeasurable: saleUnpaid,
    usdDisputedBps: size.dispute?.differenceBps ?? null,
    notCoveredShare: market.notCovered?.share ?? 0,
    notCoveredUnread: (market.notCovered?.unread.length ?? 0) > 0,
  });
  const answer: QuoteAnswer = {
    ...empty,
    ...prices,
    amountOut: best.amountOut,
    route: toRoute(best, states, wrappedNative),
    confidence: rule.gives,
  };
  flags.push(
    ...confidenceFlags(rule),
    ...priceFlags(answer, found, comparable),
    ...(market.notCovered ? notCoveredFlags(market.notCovered) : []),
    ...feeChangesFlags(market.nextBlock, best.amountOut),
    ...(!executor && data.executor?.isRefused(query.tokenIn, query.tokenOut) ? [routerDependentFlag] : []),
    ...gasFlags(best, valuesOf(best, states, deployment), executor),
    ...splitRouteFlags(found, states, wrappedNative),
    ...(saleUnpaid ? [saleUnpaidFlag(answer.tokenIn)] : []),
    ...poolFlags(best, wrappedNative),
  );
  return { ...answer, flags };
}

/** Below `high`, names the rule that lowered the confidence. */
function confidenceFlags({ when, gives }: ReturnType<typeof ruleFor>): Flag[] {
  if (gives === 'high') return [];
  const message = `The confidence is ${gives}, because ${when}.`;
  return [{ code: 'CONFIDENCE', severity: 'info', message, facts: { rule: when } }];
}

function splitRouteFlags(
  { best, single }: ExecutedPlan,
  states: Market['states'],
  wrappedNative: LowerAddress,
): Flag[] {
  if (!best || !single || best === single) return [];
  const { amountOut } = single;
  const gainBps = Number(((best.amountOut - amountOut) * 10_000n) / amountOut);
  return [splitRouteFlag(gainBps, { amountOut, route: toRoute(single, states, wrappedNative) })];
}

/** Why there is no amount to quote; undefined if there is one. */
function findUnsized(query: QuoteQuery, { states, size }: Market): Unsized | undefined {
  if (states.tokens.some(({ decimals }) => decimals === undefined)) return 'not-a-token';
  if (size.overflow) return 'too-large';
  if (size.amountIn > 0n) return undefined;
  return query.size.unit === 'usd' && !size.usdSource ? 'no-usd-price' : 'less-than-a-unit';
}

function emptyAnswer(
  query: QuoteQuery,
  { states, size }: Market,
  validity: Validity,
  venuesConsidered: number,
): QuoteAnswer {
  const [sold, bought] = states.tokens;
  return {
    chain: query.chain,
    tokenIn: getAddress(query.tokenIn),
    tokenOut: getAddress(query.tokenOut),
    // A size beyond 256 bits is reported in full.
    amountIn: size.overflow ? size.requested : size.amountIn,
    amountOut: 0n,
    executablePrice: 0,
    spotPrice: null,
    priceImpactBps: null,
    depthAtSize: 0,
    worstCaseSlippageBps: null,
    route: noRoute,
    confidence: 'medium',
    venuesConsidered,
    flags: [],
    blockNumber: states.block.number,
    decimals: { in: sold?.decimals ?? 0, out: bought?.decimals ?? 0 },
    ...validity,
  };
}

function queryFlags(
  query: QuoteQuery,
  { states, size }: Market,
  deployment: ChainData['deployment'],
  venueUnread: boolean,
): Flag[] {
  const flags = (['tokenIn', 'tokenOut'] as const).flatMap((which, index) => {
    const { decimals, hasCode = false } = states.tokens[index] ?? {};
    return decimals === undefined ? [notATokenFlag(which, hasCode)] : [];
  });
  if (flags.length > 0) return flags;
  if (size.overflow) flags.push(sizeOverflowFlag);
  if (size.cut) flags.push(sizeTruncatedFlag(states.tokens[0]?.decimals ?? 0));
  const feed = feedReadingOf(query.tokenIn, states, deployment);
  if (query.size.unit === 'usd') flags.push(...usdPriceFlags({ states, size }, feed, venueUnread));
  return flags;
}

type Prices = Pick<
  QuoteAnswer,
  'executablePrice' | 'spotPrice' | 'priceImpactBps' | 'worstCaseSlippageBps' | 'depthAtSize'
>;

/** Prices of an executed plan, in whole tokens. */
export function measurePrices(
  { amountIn }: Market['size'],
  { mid, depth }: Pick<ExecutedPlan, 'mid' | 'depth'>,
  { amountOut, secondAmountOut = 0n }: Fill,
  decimals: QuoteAnswer['decimals'],
): Prices {
  const executablePrice = priceOf(amountIn, amountOut, decimals);
  const spotPrice = mid === undefined ? null : toSpot(mid, decimals);
  const belowBps = (price: number) => (spotPrice === null ? null : (1 - price / spotPrice) * 10_000);
  return {
    executablePrice,
    spotPrice,
    priceImpactBps: belowBps(executablePrice),
    // An identical order right after this one; one that does not fill loses everything.
    worstCaseSlippageBps: belowBps(priceOf(amountIn, secondAmountOut, decimals)),
    depthAtSize: ratio(depth, 10n ** BigInt(decimals.in)),
  };
}

/** A mid in base units as a price of whole tokens. */
function toSpot(mid: number, decimals: QuoteAnswer['decimals']): number | null {
  const price = mid * 10 ** (decimals.in - decimals.out);
  return Number.isFinite(price) && price > 0 ? price : null;
}
