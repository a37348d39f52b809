import { type Address, formatUnits, getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import { addressesOf } from '../../pools/contractOf.ts';
import type { PoolIndexState } from '../../pools/poolIndex.ts';
import type { LogGap } from '../market/findTokenPools.ts';
import type { Market } from '../market/market.ts';
import type { ExecutedPlan } from '../plan/choosePlan.ts';
import { isTaxed } from '../plan/decodeExecution.ts';
import type { ExecutedLeg, Fill } from '../plan/executionTypes.ts';
import type { Flag, QuoteAnswer } from '../quoteTypes.ts';
import type { Coverage } from './coverage.ts';
import { checksummed, poolKeyOf } from './route.ts';
import type { PlanValues } from './usdPrices.ts';

const noticeableImpactBps = 300;
const heavyImpactBps = 1000;

/** Why there is no amount to quote, so that no venue was tried. */
export type Unsized = 'not-a-token' | 'no-usd-price' | 'too-large' | 'less-than-a-unit';

const unsizedMessages: Record<Unsized, string> = {
  'not-a-token': 'No venue was tried: an address of this request is not a token, see NOT_A_TOKEN.',
  'no-usd-price': 'Without a USD price of tokenIn there is no amount to quote, so no venue was tried. Send sizeIn.',
  'too-large': 'The size is above the largest amount of a pool, so no venue was tried. Request a smaller size.',
  'less-than-a-unit': 'The size is less than one base unit of tokenIn, so no venue was tried. Request a larger size.',
};

export const routerDependentFlag: Flag = {
  code: 'ROUTER_DEPENDENT',
  severity: 'warn',
  message:
    'Every plan reverts in the executor at its deployed address and fills at another one: a token of the route refuses the executor. Send the transaction through a published router.',
};

export function unsizedFlag(reason: Unsized): Flag {
  return { code: 'NO_ROUTE', severity: 'warn', message: unsizedMessages[reason] };
}

/** The size is above the supply. */
export function beyondSupplyFlag({ states, size: { amountIn } }: Pick<Market, 'states' | 'size'>): Flag {
  const { decimals = 0, supply = 0n } = states.tokens[0] ?? {};
  const inTokens = (units: bigint) => formatUnits(units, decimals);
  const message = `The size of ${inTokens(amountIn)} is above the total supply of tokenIn, ${inTokens(supply)}. Request a smaller size.`;
  const facts = { amountIn: amountIn.toString(), totalSupply: supply.toString() };
  return { code: 'NO_ROUTE', severity: 'warn', message, facts };
}

const gapReasons: Record<LogGap, string> = {
  unread: 'the logs could not be read.',
  pending: 'the logs have not been read yet. They are read now: request the quote again in a minute.',
  truncated: 'the token has more pools than are searched.',
};

/** Third parties only add pools: they do not close the gap, so their answers advise no other request. */
function describeHints(sources: readonly string[]): string {
  return `Pools that ${sources.join(' and ')} ${sources.length > 1 ? 'list' : 'lists'} were tried as well.`;
}

/** Why pools may be missing, and when they can be found. Advises another paid request only if it can find more. */
function describeGap(gap: LogGap, index: PoolIndexState | undefined): string {
  const what = `Pools that only the factories' logs show may be missing: ${gapReasons[gap]}`;
  if (gap !== 'unread') return what;
  if (index?.status === 'complete')
    return `${what} Only pools of the newest blocks are affected: request the quote again in a minute.`;
  // The nodes return logs of all blocks, so this read failed by chance.
  if (index?.status === 'idle') return `${what} Request the quote again in a minute.`;
  // Without an index it is not known whether a later read succeeds.
  if (index === undefined) return what;
  if (index.status === 'failing')
    return `${what} A request soon will find the same. GET /health shows when the pool index progresses.`;
  const { percent, secondsLeft } = index;
  const when =
    secondsLeft === undefined
      ? 'GET /health shows its progress'
      : `it is complete in about ${Math.ceil(secondsLeft / 60)} min`;
  return `${what} The service reads them in the background (${percent} %); ${when}. A request before then may find the same.`;
}

/** No venue fills the size. `uncovered` is undefined if the other venues were not read. */
export function noRouteFlag(
  { considered, unread }: Coverage,
  market: Pick<Market, 'uncovered' | 'logGap' | 'poolIndex' | 'hintSources' | 'roundsToZero'>,
): Flag {
  const { uncovered, logGap, poolIndex, hintSources = [], roundsToZero } = market;
  const { notCovered, notCoveredUnread } = uncovered ?? { notCovered: [], notCoveredUnread: [] };
  const message = [
    unread.length > 0
      ? `No venue that answered fills this size; ${unread.join(', ')} did not answer, so a route may still exist.`
      : `No covered venue fills this size. ${roundsToZero ? 'Its output rounds to zero base units of tokenOut. Request a larger size.' : 'Request a smaller size or another pair.'}`,
    notCovered.length > 0 &&
      `This service cannot quote ${notCovered.join(', ')}, which ${notCovered.length > 1 ? 'hold' : 'holds'} the token and may trade it.`,
    logGap !== undefined && describeGap(logGap, poolIndex),
    hintSources.length > 0 && describeHints(hintSources),
    notCoveredUnread.length > 0 && `Could not read whether ${notCoveredUnread.join(', ')} may trade it.`,
  ];
  const facts = {
    venuesConsidered: considered.length,
    venues: considered,
    ...uncovered,
    poolsMayBeMissing: logGap !== undefined,
    ...(hintSources.length > 0 && { poolsListedBy: hintSources }),
  };
  return { code: 'NO_ROUTE', severity: 'warn', message: message.filter(Boolean).join(' '), facts };
}

export function notATokenFlag(which: 'tokenIn' | 'tokenOut', hasCode: boolean): Flag {
  const seen = hasCode ? 'has code but does not answer decimals()' : 'has no code';
  const side = which === 'tokenIn' ? 'in' : 'out';
  const message = `${which} is not a token: it ${seen} at this block. decimals.${side} and amountIn are 0 because neither is known.`;
  return { code: 'NOT_A_TOKEN', severity: 'critical', message, facts: { which } };
}

export function oldBlockFlag(ageSeconds: number): Flag {
  const message = `The latest available block is ${ageSeconds} s old; prices may be stale.`;
  return { code: 'OLD_BLOCK', severity: 'critical', message, facts: { ageSeconds } };
}

export function venueUnreadFlag(unread: readonly string[]): Flag {
  return {
    code: 'VENUE_UNREAD',
    severity: 'warn',
    message: `Not all pools of ${unread.join(', ')} could be read; one of these may have a better price. Request the quote again.`,
    facts: { venues: [...unread] },
  };
}

export function sizeTruncatedFlag(decimals: number): Flag {
  return {
    code: 'SIZE_TRUNCATED',
    severity: 'info',
    message: `The size has more than the ${decimals} decimals of tokenIn; it was rounded down.`,
    facts: { decimals },
  };
}

export const sizeOverflowFlag: Flag = {
  code: 'SIZE_TOO_LARGE',
  severity: 'warn',
  message: 'The size is above the largest amount of a pool (2^256 base units).',
};

/** Flags derived from the answer's numbers. */
export function priceFlags(
  answer: QuoteAnswer,
  { depth, isDepthLowerBound }: Pick<ExecutedPlan, 'depth' | 'isDepthLowerBound'>,
  runnerUp: bigint | undefined,
): Flag[] {
  const flags: Flag[] = [];
  const { spotPrice, priceImpactBps } = answer;
  if (spotPrice === null) {
    const message = 'No pool that filled this swap has liquidity around its price, so there is no mid to compare with.';
    flags.push({ code: 'NO_MID', severity: 'warn', message });
  }
  if (priceImpactBps !== null && priceImpactBps > noticeableImpactBps) {
    const severity = priceImpactBps > heavyImpactBps ? 'critical' : 'warn';
    const message = `The fill is ${(priceImpactBps / 100).toFixed(2)} % worse than the mid price, fees included.`;
    flags.push({ code: 'HIGH_IMPACT', severity, message, facts: { priceImpactBps } });
  }
  if (depth < answer.amountIn * 2n) {
    const message = isDepthLowerBound
      ? 'The market could not be measured up to twice this size; depthAtSize is a lower bound.'
      : 'Selling twice this size lowers the price by more than 1 %.';
    flags.push({ code: 'THIN_DEPTH', severity: 'warn', message, facts: { depthAtSize: answer.depthAtSize } });
  }
  if (runnerUp === undefined) {
    flags.push({
      code: 'SINGLE_POOL',
      severity: 'info',
      message:
        'Only one route fills this size. No other route returns at least half as much, so nothing confirms the price.',
    });
  }
  return flags;
}

/**
 * Gas is reported and not deducted: its price depends on the sender. Its value is that at the block's base fee.
 * @param fill its gas is 0 if it is unknown
 * @param executor the deployed executor, if the plan was executed in it
 */
export function gasFlags(
  { gas, isWarm }: Pick<Fill, 'gas' | 'isWarm'>,
  values: PlanValues,
  executor?: Address,
): Flag[] {
  if (gas === 0n) return [];
  const used = isWarm ? `at least ${gas} gas, because the node read their pools in the same call` : `${gas} gas`;
  const message = `The swaps of this route use ${used}; the transaction and its router need more.`;
  return [
    {
      code: 'ROUTE_GAS',
      severity: 'info',
      message,
      facts: { gas: Number(gas), ...values, ...(executor && { executor }) },
    },
  ];
}

/** No account could be funded with tokenIn in the call, so the tax of its transfer is unknown. */
export function saleUnpaidFlag(token: Address): Flag {
  const message = `The transfer tax of ${token} on a sale could not be measured; if there is one, amountOut is too high.`;
  return { code: 'TRANSFER_TAX', severity: 'warn', message, facts: { token, side: 'sell', taxBps: null } };
}

/** Taxes that tokens deduct from the transfers to and from a pool, measured by simulated transfers of this size. */
function taxFlags({ amountIn, arrived, nominal, amountOut }: ExecutedLeg, tokenIn: Address, tokenOut: Address): Flag[] {
  const flags: Flag[] = [];
  if (isTaxed(amountIn, arrived)) {
    const message = `${tokenIn} deducts a tax from the transfer to the pool; amountOut is the output for the rest.`;
    const facts = { token: tokenIn, side: 'sell', taxBps: keptBps(amountIn, arrived) };
    flags.push({ code: 'TRANSFER_TAX', severity: 'warn', message, facts });
  }
  if (isTaxed(nominal, amountOut)) {
    const message = `${tokenOut} deducts a tax from the transfer to the receiver; amountOut is what arrives.`;
    const facts = { token: tokenOut, side: 'buy', taxBps: keptBps(nominal, amountOut) };
    flags.push({ code: 'TRANSFER_TAX', severity: 'warn', message, facts });
  }
  return flags;
}

/** The deducted part, to the nearest basis point, because a token rounds its tax. */
const keptBps = (sent: bigint, arrived: bigint) => Number(((sent - arrived) * 10_000n + sent / 2n) / sent);

/** Flags of the route's pools: transfer taxes, hooks, and the keys that v4 legs need for execution. */
export function poolFlags({ legs }: Pick<Fill, 'legs'>, wrappedNative: LowerAddress): Flag[] {
  const flags = legs.flatMap((leg) => {
    const { pool, tokenIn, tokenOut } = leg;
    const { candidatePool } = pool;
    const poolId = checksummed(addressesOf(pool).publicId(pool));
    const flags = taxFlags(leg, getAddress(tokenIn), getAddress(tokenOut));
    if (candidatePool.isCustom) {
      const message = 'The pool belongs to a custom deployer; routers find it only with the address of that deployer.';
      flags.push({ code: 'CUSTOM_POOL', severity: 'warn', message, facts: { pool: poolId } });
    }
    const key = poolKeyOf(candidatePool, [tokenIn, tokenOut], wrappedNative);
    if (!key) return flags;
    flags.push({
      code: 'V4_POOL_KEY',
      severity: 'info',
      message: 'The pool key of a uniswap-v4 leg.',
      facts: { poolId, ...key },
    });
    if (BigInt(candidatePool.hooks) !== 0n) {
      const message = 'The pool has a hook, which may change price and fee from swap to swap.';
      flags.push({ code: 'HOOKED_POOL', severity: 'warn', message, facts: { poolId, hooks: key.hooks } });
    }
    return flags;
  });
  // The legs of a split order report the same tax.
  return [...new Map(flags.map((flag) => [JSON.stringify(flag), flag])).values()];
}
