import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { QuoteAnswer } from '../../engine/index.ts';
import { toWire } from '../../router/index.ts';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true }).addSchema(document, 'published');
const isPublishedQuote = ajv.compile({ $ref: 'published#/components/schemas/Quote' });

/** Facts about a query; the answer must match them. */
export interface Expected {
  freshnessMs: number;
  usd: boolean;
  /** The size has digits beyond the token's decimals. */
  finer: boolean;
}

type Wire = ReturnType<typeof toWire>;
type Check = (holds: boolean, rule: string) => void;

/**
 * Checks the fields of one answer, as sent over the wire, against the rules of the published schema and guides. Returns
 * the broken rules. Does not execute the route.
 */
export function answerFaults(answer: QuoteAnswer, expected: Expected): string[] {
  const wire = JSON.parse(JSON.stringify(toWire(answer))) as Wire;
  const faults: string[] = [];
  const check: Check = (holds, rule) => {
    if (!holds) faults.push(rule);
  };
  if (!isPublishedQuote(wire)) faults.push(`not as published: ${ajv.errorsText(isPublishedQuote.errors)}`);
  checkNulls(wire, check);
  checkRoute(wire, check);
  checkPrices(wire, check);
  checkFlags(wire, expected, check);
  checkConfidence(wire, check);
  check(wire.validUntil > wire.ts, 'validUntil > ts');
  check(wire.validUntil - wire.ts === expected.freshnessMs, 'validUntil is ts plus the freshness');
  return faults;
}

const codesOf = ({ flags }: Wire) => flags.map(({ code }) => code);
const isRouted = ({ route }: Wire) => route.legs.length > 0;

/**
 * Three fields may be null, but only together. Two facts of flags may be null: the update time of a feed that failed,
 * and an unmeasured tax.
 */
function checkNulls(wire: Wire, check: Check): void {
  const { spotPrice, priceImpactBps, worstCaseSlippageBps, flags, ...rest } = wire;
  check((spotPrice === null) === (priceImpactBps === null), 'priceImpactBps is null exactly when spotPrice is');
  check(
    (spotPrice === null) === (worstCaseSlippageBps === null),
    'worstCaseSlippageBps is null exactly when spotPrice is',
  );
  const others = [
    ...nullsIn(rest, ''),
    ...flags.flatMap((flag) => nullsIn(flag, flag.code).filter((path) => !factsThatMayBeNull.includes(path))),
  ];
  check(others.length === 0, `null at ${others}`);
}

const factsThatMayBeNull = [
  'STALE_ORACLE.updatedAt',
  'TRANSFER_TAX.taxBps',
  'USD_PRICE_DISPUTED.poolUsdPerToken',
  'USD_PRICE_DISPUTED.differenceBps',
  'ROUTE_GAS.gasUsd',
  'ROUTE_GAS.valueInUsd',
  'ROUTE_GAS.valueOutUsd',
];

function nullsIn(value: unknown, path: string): string[] {
  if (value === null || value === undefined) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => nullsIn(inner, `${path}.${key}`));
}

function checkRoute(wire: Wire, check: Check): void {
  const { route, tokenIn, tokenOut, amountOut } = wire;
  const { legs, path, pools, dex } = route;
  check((amountOut === '0') === (legs.length === 0), 'amountOut is 0 exactly without a route');
  check((wire.executablePrice === 0) === (legs.length === 0), 'executablePrice is 0 exactly without a route');
  check(codesOf(wire).includes('NO_ROUTE') === (legs.length === 0), 'NO_ROUTE exactly without a route');
  check(String(pools) === String(legs.map(({ pool }) => pool)), 'pools are those of the legs');
  if (legs.length === 0) {
    check(dex === 'none' && path.length === 0, 'no route has no dex and no path');
    check(wire.depthAtSize === 0 && wire.spotPrice === null, 'no route has no depth and no mid');
    return;
  }
  check(path[0] === tokenIn && path.at(-1) === tokenOut, 'the path leads from tokenIn to tokenOut');
  const tokens = new Set([...legs.map((leg) => leg.tokenIn), tokenOut]);
  check(path.length === tokens.size && path.every((token) => tokens.has(token)), 'the path lists each token once');
  for (const token of tokens) checkLegsOf(wire, token, check);
  const families = new Set<string>(legs.map((leg) => leg.dex));
  check(dex === (families.size === 1 ? legs[0]?.dex : 'mixed'), 'dex is the one family, or mixed');
}

/** Checks that a token's bought amount is sold again, in shares that sum to 10000, and not before it was bought. */
function checkLegsOf(
  { route: { legs }, amountIn, tokenIn, tokenOut, amountOut }: Wire,
  token: string,
  check: Check,
): void {
  const buys = legs.filter((leg) => leg.tokenOut === token);
  const sells = legs.filter((leg) => leg.tokenIn === token);
  const bought = token === tokenIn ? BigInt(amountIn) : sum(buys.map((leg) => leg.amountOut));
  const sold = token === tokenOut ? BigInt(amountOut) : sum(sells.map((leg) => leg.amountIn));
  check(bought === sold, `${bought} bought of ${token}, ${sold} sold`);
  const shares = sells.reduce((total, { shareBps }) => total + shareBps, 0);
  check(
    token === tokenOut ? sells.length === 0 : shares === 10_000,
    `shares of ${token} add up to 10000, got ${shares}`,
  );
  const firstSale = legs.findIndex((leg) => leg.tokenIn === token);
  const lastBuy = legs.findLastIndex((leg) => leg.tokenOut === token);
  check(firstSale < 0 || lastBuy < firstSale, `${token} is bought before it is sold`);
  check(
    sells.slice(0, -1).every((leg) => BigInt(leg.amountIn) === (sold * BigInt(leg.shareBps)) / 10_000n),
    `each leg sells its share of ${token}`,
  );
}

const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n);

function checkPrices(wire: Wire, check: Check): void {
  const { spotPrice, priceImpactBps, worstCaseSlippageBps, executablePrice, decimals } = wire;
  if (!isRouted(wire)) return;
  const whole = { in: Number(wire.amountIn) / 10 ** decimals.in, out: Number(wire.amountOut) / 10 ** decimals.out };
  check(near(executablePrice, whole.out / whole.in), 'executablePrice is amountOut over amountIn in whole tokens');
  check(wire.depthAtSize >= whole.in * (1 - 1e-12), 'depthAtSize is at least the size');
  if (spotPrice === null || priceImpactBps === null || worstCaseSlippageBps === null) return;
  check(spotPrice > 0, 'a mid is above zero');
  const impact = (1 - executablePrice / spotPrice) * 10_000;
  check(
    Math.abs(priceImpactBps - impact) <= 1e-6 * Math.max(1, Math.abs(impact)),
    'priceImpactBps follows from the prices',
  );
  check(worstCaseSlippageBps <= 10_000, 'worstCaseSlippageBps is at most 10000');
  // Rounding to units may favour the second order. The answer does not contain the rounding of a middle token.
  if (wire.route.legs.length > 1) return;
  const roundingBps =
    (20_000 / Number(wire.amountOut) + 20_000 / Number(wire.amountIn)) * (executablePrice / spotPrice);
  check(worstCaseSlippageBps >= priceImpactBps - roundingBps - 1e-6, 'the second of two orders is not paid better');
}

function checkFlags(wire: Wire, { usd, finer }: Expected, check: Check): void {
  const codes = codesOf(wire);
  const only = (code: string, when: boolean) => check(codes.includes(code) === when, `${code} exactly when it applies`);
  const noToken = codes.includes('NOT_A_TOKEN');
  const routed = isRouted(wire);
  const v4Legs = wire.route.legs.filter(({ dex }) => dex === 'uniswap-v4');
  const keys = wire.flags.filter(({ code }) => code === 'V4_POOL_KEY');
  const hooked = keys.filter(({ hooks }) => BigInt(hooks as string) !== 0n);
  check(!noToken || !routed, 'an address that is not a token has no route');
  only('NO_MID', routed && wire.spotPrice === null);
  only('HIGH_IMPACT', (wire.priceImpactBps ?? 0) > 300);
  const twice = (Number(wire.amountIn) / 10 ** wire.decimals.in) * 2;
  // At exactly twice the size, the rounding of doubles decides.
  if (Math.abs(wire.depthAtSize / twice - 1) > 1e-12) only('THIN_DEPTH', routed && wire.depthAtSize < twice);
  only('USD_PRICE_SOURCE', usd && !noToken);
  only('CONFIDENCE', wire.confidence !== 'high');
  if (!usd) only('SIZE_TRUNCATED', finer && !noToken);
  only('HOOKED_POOL', hooked.length > 0);
  check(
    wire.route.legs.every(({ dex, poolKey }) => (poolKey !== undefined) === (dex === 'uniswap-v4')),
    'poolKey exactly on uniswap-v4',
  );
  check(String(keys.map(({ poolId }) => poolId)) === String(v4Legs.map(({ pool }) => pool)), 'each v4 leg has its key');
  check(
    wire.flags.every(({ message }) => message.length > 0),
    'each flag has a message',
  );
}

/** Checks the confidence rules that follow from the fields of the answer. */
function checkConfidence(wire: Wire, check: Check): void {
  const { confidence, priceImpactBps } = wire;
  const codes = codesOf(wire);
  const expected = (level: string, when: string) => check(confidence === level, `confidence ${confidence} ${when}`);
  if (codes.includes('VENUE_UNREAD')) expected('low', 'with a venue unread');
  // The logs of the factories were not read.
  else if (wire.flags.some(({ poolsMayBeMissing }) => poolsMayBeMissing)) expected('low', 'with pools missing');
  else if (!isRouted(wire)) expected('medium', 'without a route');
  else if (priceImpactBps === null || priceImpactBps > 1000) expected('low', 'on a weak price');
  else if (wire.flags.some(({ taxBps }) => taxBps === null)) expected('low', 'with a tax unmeasured');
  else if (codes.includes('SINGLE_POOL')) {
    expected(Math.abs(priceImpactBps) < 100 ? 'high' : 'medium', 'with one route');
  }
}

const near = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));
