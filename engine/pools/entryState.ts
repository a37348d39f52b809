import { fastPowers } from '../venues/balancerV2/row.ts';
import { kinds } from '../venues/kinds.ts';
import type { PoolEntry } from './poolEntry.ts';
import type { ConcentratedState, PoolState } from './poolTypes.ts';
import { depthWithinOnePercent } from './price.ts';
import { maxSqrtPrice, maxTick, minSqrtPrice } from './tickMaths.ts';

/** The formula of a pool, as a number of contracts/lens/StateTypes.sol. */
export const forms = {
  none: 0,
  v2: 1,
  camelot: 2,
  solidly: 3,
  camelotStable: 4,
  solidlyStable: 5,
  weighted: 6,
  v3: 7,
  v4: 8,
  algebraV1: 9,
  algebraV19: 10,
  algebraIntegral: 11,
  hook: 12,
  plugin: 13,
  unknown: 14,
} as const;

/** The state of a pool that was read; undefined if it reported values that no pool can have. */
export function toState(entry: PoolEntry): PoolState | undefined {
  const { form, first, second, third, fourth, feePips } = entry;
  if (feePips.some((fee) => fee > 1_000_000)) return undefined;
  if (form >= forms.hook) return toOpaque(entry);
  if (form >= forms.v3) return toConcentrated(entry);
  if (form === forms.weighted) return toWeighted(entry);
  const reserves = { reserve0: first, reserve1: second, feePips };
  if (form === forms.v2) return { kind: 'pair', rule: 'uniswap-v2', ...reserves };
  if (form === forms.camelot) return { kind: 'pair', rule: 'camelot', ...reserves };
  if (form === forms.solidly) return { kind: 'pair', rule: 'solidly', ...reserves };
  if (third === 0n || fourth === 0n) return undefined;
  const rule = form === forms.camelotStable ? 'camelot' : 'solidly';
  return { kind: 'stable', rule, ...reserves, unit0: third, unit1: fourth };
}

function toWeighted({ ref, first, second, third: swapFee }: PoolEntry): PoolState | undefined {
  if (!ref.weighted || swapFee > 10n ** 18n) return undefined;
  const { poolId: _, ...facts } = ref.weighted;
  const pips = Number((swapFee + 10n ** 12n - 1n) / 10n ** 12n);
  const balances = { balance0: first, balance1: second };
  const hasFastPowers = ref.slot.fee === fastPowers;
  return { kind: 'weighted', hasFastPowers, ...balances, ...facts, swapFee, feePips: [pips, pips] };
}

const rules: Record<number, ConcentratedState['rule']> = {
  [forms.v3]: 'uniswap-v3',
  [forms.v4]: 'uniswap-v4',
  [forms.algebraV1]: 'algebra-v1',
  [forms.algebraV19]: 'algebra-v1',
  [forms.algebraIntegral]: 'algebra-integral',
};

function toConcentrated(entry: PoolEntry): PoolState | undefined {
  const { form, first, second, third, fourth, feePips, tick, tickSpacing, ticks, knownFrom, knownTo } = entry;
  const rule = rules[form];
  const isInRange = first >= minSqrtPrice && first <= maxSqrtPrice && Math.abs(tick) <= maxTick;
  if (!rule || !isInRange || second >> 128n !== 0n || tickSpacing === 0) return undefined;
  const price = { sqrtPriceX96: first, tick, liquidity: second, tickSpacing, feePips };
  const state: ConcentratedState = { kind: 'concentrated', rule, ...price, ticks, knownFrom, knownTo };
  // A pool that reports more liquidity than its balances (third and fourth, plus one; 0 = unread) allow is opaque: its
  // price is not trusted. A singleton's balance is no bound.
  const isWithin = (balancePlusOne: bigint, zeroForOne: boolean) =>
    depthWithinOnePercent(state, zeroForOne) < balancePlusOne;
  if (form === forms.v4 || (isWithin(third, false) && isWithin(fourth, true))) return state;
  return toOpaque({ ...entry, form: forms.unknown });
}

function toOpaque({ form, ref, first, second, third, fourth, feePips }: PoolEntry): PoolState | undefined {
  if (form === forms.hook) {
    return { kind: 'opaque', reason: 'hook', sqrtPriceX96: first, liquidity: second, feePips: feePips[0] };
  }
  const reason = form === forms.plugin ? 'plugin' : 'unknown-curve';
  if (!hasPrice(ref.slot.kind)) return { kind: 'opaque', reason, balance0: first, balance1: second };
  const toBalance = (balancePlusOne: bigint) => (balancePlusOne > 1n ? balancePlusOne - 1n : undefined);
  return {
    kind: 'opaque',
    reason,
    balance0: toBalance(third),
    balance1: toBalance(fourth),
    sqrtPriceX96: first,
    liquidity: second,
    feePips: feePips[0] || undefined,
  };
}

const hasPrice = (kind: number) => kind === kinds.algebra || kind === kinds.v3 || kind === kinds.slipstream;
