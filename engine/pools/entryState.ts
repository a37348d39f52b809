import { fastPowers } from '../venues/balancerV2/row.ts';
import { kinds } from '../venues/kinds.ts';
import type { PoolEntry } from './poolEntry.ts';
import type { ConcentratedState, PoolState } from './poolTypes.ts';
import { depthWithinOnePercent } from './price.ts';
import { maxTick } from './tickMaths.ts';

/** How a pool is computed: numbers of contracts/lens/StateTypes.sol. */
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

const [minSqrt, maxSqrt] = [4_295_128_739n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n];

function toConcentrated(entry: PoolEntry): PoolState | undefined {
  const { form, first, second, third, fourth, feePips, tick, tickSpacing, ticks, knownFrom, knownTo } = entry;
  const rule = rules[form];
  const sound = first >= minSqrt && first <= maxSqrt && second >> 128n === 0n && Math.abs(tick) <= maxTick;
  if (!rule || !sound || tickSpacing === 0) return undefined;
  const price = { sqrtPriceX96: first, tick, liquidity: second, tickSpacing, feePips };
  const state: ConcentratedState = { kind: 'concentrated', rule, ...price, ticks, knownFrom, knownTo };
  // A pool that reports more than it holds has no maths. A singleton's balance bounds nothing.
  const holds = (word: bigint, zeroForOne: boolean) => depthWithinOnePercent(state, zeroForOne) < word;
  if (form === forms.v4 || (holds(third, false) && holds(fourth, true))) return state;
  return toOpaque({ ...entry, form: forms.unknown });
}

function toOpaque({ form, ref, first, second, third, fourth, feePips }: PoolEntry): PoolState | undefined {
  if (form === forms.hook) {
    return { kind: 'opaque', reason: 'hook', sqrtPriceX96: first, liquidity: second, feePips: feePips[0] };
  }
  const reason = form === forms.plugin ? 'plugin' : 'unknown-curve';
  if (!hasPrice(ref.slot.kind)) return { kind: 'opaque', reason, balance0: first, balance1: second };
  const held = (word: bigint) => (word > 1n ? word - 1n : undefined);
  return {
    kind: 'opaque',
    reason,
    balance0: held(third),
    balance1: held(fourth),
    sqrtPriceX96: first,
    liquidity: second,
    feePips: feePips[0] || undefined,
  };
}

const hasPrice = (kind: number) => kind === kinds.algebra || kind === kinds.v3 || kind === kinds.slipstream;
