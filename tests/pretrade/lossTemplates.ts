import type { Template } from './templateTypes.ts';

/** Sentences on what hooks and pools take, and on what the whole market pays. */
export const lossTemplates: Template[] = [
  [
    'The pool’s hook takes ([\\d.]+) % of a (?:sale|purchase)\\.',
    ({ testToken }, percent) => testToken.symbol === 'V4HOOK' && percent === '1.2',
  ],
  [
    'The pool’s LP fee is ([\\d.]+) % of a (?:sale|purchase)(?:, which its hook sets)?\\.',
    (_case, percent) => Number(percent) > 3,
  ],
  [
    'A purchase of the size and its sale in the next block return ([\\d.]+) % of the price paid\\.',
    (_case, percent) => Number(percent) < 90,
  ],
  [
    'The purchase tax of the size changes over time: (?:[\\d.]+ % [^,.]*(?:, )?)+\\.',
    ({ answer }) => answer.flags['F-FOT'].severity !== 'none',
  ],
  [
    'In a block a day later, the same sale pays ([\\d.]+) % less: the pool’s hook then takes a larger part\\.',
    ({ testToken }) => testToken.pools.some(({ key }) => key !== undefined && BigInt(key.hooks) !== 0n),
  ],
  [
    '0x[0-9a-fA-F]{40}, outside the covered factories, has the interface of a pair of the token\\. .+',
    ({ answer }) => (answer.risk_profile.liquidity.exitLiquidityUsd ?? 0) < 50,
  ],
  [
    'The sale value of assets without a USD price is not fully known: .+',
    ({ answer }) => (answer.risk_profile.liquidity.exitLiquidityUsd ?? 0) < 50,
  ],
  [
    'The token is newly launched, or all its buyers have sold: .+ Only your own purchase would fund the exit\\.',
    ({ truth, answer }) => truth.canBuy && truth.canSell && answer.risk_profile.liquidity.exitLiquidityUsd === 0,
  ],
  [
    '0x[0-9a-fA-F]{40} holds ([\\d.]+) % of the supply\\. .+',
    ({ answer }, share) => Math.abs((answer.risk_profile.concentration.top1SharePct ?? 0) - Number(share)) < 0.1,
  ],
];
