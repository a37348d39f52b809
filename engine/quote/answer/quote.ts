import { getAddress } from 'viem';
import { tooOldSeconds } from '../../chain/blockAge.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ChainData } from '../chainData.ts';
import { feeChangesFlags } from '../market/nextBlock.ts';
import { notCoveredFlags } from '../market/notCovered.ts';
import type { MarketReading } from '../market/readMarket.ts';
import { parseSize, toBaseUnits } from '../query/parseSize.ts';
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
import { isBeyondSupply } from './lensReading.ts';
import { measurePrices } from './measurePrices.ts';
import { rejectedFlags } from './rejectedFlags.ts';
import { noRoute, poolsOf, toPlanRoute, toRoute } from './route.ts';
import { splitRouteFlag } from './splitRouteFlag.ts';
import { usdPriceFlags } from './usdFlags.ts';
import { noValues } from './usdPrices.ts';

/** Time of an answer and end of its validity, in milliseconds since the epoch. */
export interface Validity {
  ts: number;
  validUntil: number;
}

/**
 * Turns a market reading of one block into the answer. Pure: sends no request. The plan is already executed; this function
 * derives prices, flags and confidence.
 */
export function quote(chain: ChainData, query: QuoteQuery, market: MarketReading, validity: Validity): QuoteAnswer {
  const { reading } = market;
  const data = { ...chain, candidatePools: market.candidatePools ?? chain.candidatePools };
  const coverage = coverageOf(market, data.candidatePools);
  const empty = emptyAnswer(query, market, validity, coverage.considered.length);
  const ageSeconds = tooOldSeconds(reading.timestamp, validity.ts, data.oldBlockMs);
  const flags = ageSeconds === undefined ? [] : [oldBlockFlag(ageSeconds)];
  flags.push(...queryFlags(query, market, coverage.unread.length > 0));
  if (coverage.unread.length > 0) flags.push(venueUnreadFlag(coverage.unread));
  flags.push(...rejectedFlags(reading, data.candidatePools));

  const [winner] = reading.routes;
  if (!winner) {
    const unsized = findUnsized(query, market);
    const rule = ruleFor({
      ...unrouted,
      oldBlock: ageSeconds !== undefined,
      venueUnread: coverage.unread.length > 0 || market.logGap !== undefined,
      poolsMayBeMissing: market.logGap !== undefined,
    });
    if (isBeyondSupply(reading)) flags.push(beyondSupplyFlag(reading));
    else
      flags.push(unsized ? unsizedFlag(unsized) : noRouteFlag(coverage, market.uncovered, market, market.roundsToZero));
    flags.push(...confidenceFlags(rule));
    return { ...empty, confidence: rule.gives, flags };
  }

  const { found } = market;
  const executor = found?.best?.byExecutor && executorRelease.address;
  const independent = found ? independentOf(found) : reading.routes;
  const runnerUp = comparableRunnerUp(independent);
  const best = independent[0]?.received ?? winner.received;
  const { wrappedNative, pricingAssets } = data.deployment;
  const planRoute = found?.best && toPlanRoute(found.best.filled, found.feeOf, wrappedNative);
  const pools = poolsOf(reading, winner);
  // A pricing asset has no transfer tax.
  const saleUnpaid = !reading.payerFunded && !pricingAssets.some(({ address }) => address === query.tokenIn);
  const prices = measurePrices(data, reading, pools, winner.received, found && (found.mid ?? null));
  const rule = ruleFor({
    oldBlock: ageSeconds !== undefined,
    routed: true,
    venueUnread: coverage.unread.length > 0,
    // A truncated search keeps the confidence of a route: anyone can cause it, by creating pools for less than a dollar.
    poolsMayBeMissing: market.logGap !== undefined && market.logGap !== 'truncated',
    hasMid: prices.spotPrice !== null,
    impactBps: prices.priceImpactBps,
    disagreementBps: runnerUp === undefined ? null : disagreementBps(best, runnerUp),
    taxUnmeasurable: saleUnpaid,
    usdDisputedBps: market.usdDispute?.differenceBps ?? null,
    notCoveredShare: market.notCovered?.share ?? 0,
    notCoveredUnread: (market.notCovered?.unread.length ?? 0) > 0,
  });
  const answer: QuoteAnswer = {
    ...empty,
    ...prices,
    amountOut: winner.received,
    route: planRoute ?? toRoute(reading, winner, data.candidatePools, wrappedNative),
    confidence: rule.gives,
  };
  flags.push(
    ...confidenceFlags(rule),
    ...priceFlags(answer, reading, runnerUp),
    ...(market.notCovered ? notCoveredFlags(market.notCovered) : []),
    ...feeChangesFlags(market.nextBlock, winner.received),
    ...(!executor && chain.executor?.isRefused(query.tokenIn, query.tokenOut) ? [routerDependentFlag] : []),
    ...gasFlags(reading, market.values ?? noValues, executor),
    ...(found ? splitRouteFlags(found, wrappedNative) : []),
    ...(saleUnpaid ? [saleUnpaidFlag(answer.tokenIn)] : []),
    ...poolFlags(pools, reading, data.candidatePools, data.deployment),
  );
  return { ...answer, flags };
}

/** Below `high`, names the rule that lowered the confidence. */
function confidenceFlags({ when, gives }: ReturnType<typeof ruleFor>): Flag[] {
  if (gives === 'high') return [];
  const message = `The confidence is ${gives}, because ${when}.`;
  return [{ code: 'CONFIDENCE', severity: 'info', message, facts: { rule: when } }];
}

type Found = NonNullable<MarketReading['found']>;

/** The best single route and the best one that shares no pool with it: they confirm or contradict each other. */
function independentOf({ single, runnerUp }: Found): { received: bigint }[] {
  return [single, runnerUp].flatMap((plan) => (plan ? [{ received: plan.amountOut }] : []));
}

function splitRouteFlags({ best, single, feeOf }: Found, wrappedNative: LowerAddress): Flag[] {
  if (!best || !single || best.filled === single) return [];
  const { amountOut } = single;
  const gainBps = Number(((best.filled.amountOut - amountOut) * 10_000n) / amountOut);
  return [splitRouteFlag(gainBps, { amountOut, route: toPlanRoute(single, feeOf, wrappedNative) })];
}

/** Why there is no amount to quote; undefined if there is one. */
function findUnsized({ size }: QuoteQuery, { reading, usdSource }: MarketReading): Unsized | undefined {
  if (reading.tokenIn.decimals === undefined || reading.tokenOut.decimals === undefined) return 'not-a-token';
  if (reading.doesSizeOverflow) return 'too-large';
  if (reading.amountIn > 0n) return undefined;
  return 'usd' in size && !usdSource ? 'no-usd-price' : 'less-than-a-unit';
}

function emptyAnswer(
  query: QuoteQuery,
  market: MarketReading,
  validity: Validity,
  venuesConsidered: number,
): QuoteAnswer {
  const { reading } = market;
  return {
    chain: query.chain,
    tokenIn: getAddress(query.tokenIn),
    tokenOut: getAddress(query.tokenOut),
    amountIn: requestedAmount(query, market),
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
    blockNumber: reading.blockNumber,
    decimals: { in: reading.tokenIn.decimals ?? 0, out: reading.tokenOut.decimals ?? 0 },
    ...validity,
  };
}

/** The amount that was priced; a size beyond 256 bits is reported in full. */
function requestedAmount({ size }: QuoteQuery, { reading, requested }: MarketReading): bigint {
  const decimals = reading.tokenIn.decimals;
  if (!reading.doesSizeOverflow || decimals === undefined) return reading.amountIn;
  return 'tokenIn' in size ? toBaseUnits(parseSize(size.tokenIn), decimals).amount : (requested ?? reading.amountIn);
}

function queryFlags(
  { size }: QuoteQuery,
  { reading, usdSource, usdDispute: dispute, feedRefused = false }: MarketReading,
  venueUnread: boolean,
): Flag[] {
  const flags: Flag[] = [];
  if (reading.tokenIn.decimals === undefined) flags.push(notATokenFlag('tokenIn', reading.tokenIn.hasCode));
  if (reading.tokenOut.decimals === undefined) flags.push(notATokenFlag('tokenOut', reading.tokenOut.hasCode));
  if (flags.length > 0) return flags;
  if (reading.doesSizeOverflow) flags.push(sizeOverflowFlag());
  if (reading.isSizeTruncated) flags.push(sizeTruncatedFlag(reading.tokenIn.decimals ?? 0));
  if ('usd' in size) flags.push(...usdPriceFlags(usdSource, reading, { feedRefused, venueUnread, dispute }));
  return flags;
}
