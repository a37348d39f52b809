import type { Address } from 'viem';
import { describe, expect, test } from 'vitest';
import type { SlotStatus } from '../../quote/lensReading.ts';
import { base } from '../../venues/deployments/base.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import { toSlots } from '../../venues/toSlots.ts';
import type { ExitPool, ExitReading } from '../exit/exitTypes.ts';
import type { Enumerated } from '../tokenReading.ts';
import { weighLiquidity } from './liquidity.ts';
import { liquiditySignal } from './liquiditySignal.ts';

const slots = toSlots(base.venues);
const silent = { ok: false, word: 0n };
const noText = { ok: false, size: 0, words: '0x' } as const;
const weth = base.wrappedNative.toLowerCase() as `0x${string}`;
const token = '0x00000000000000000000000000000000000b0b0b';

/** A token without any pool, as far as the factories say that. */
function look(status: SlotStatus, { enumerated = { ok: true } as Enumerated, exits = [] as ExitPool[] } = {}) {
  const reading: ExitReading = {
    blockNumber: 7n,
    timestamp: 0n,
    parentHash: '0x00',
    baseFee: 0n,
    hasCode: true,
    codeHash: '0x00',
    decimals: 18,
    totalSupply: 1n,
    owner: silent,
    getOwner: silent,
    answersEverything: false,
    name: noText,
    symbol: noText,
    getters: [],
    balances: [],
    sequencer: 'up',
    bases: [],
    pairs: base.pricingAssets.map(({ address }) => ({ counter: address, statuses: slots.map(() => status) })),
    exits,
    hops: [],
  };
  return weighLiquidity({
    token,
    reading,
    slots,
    deployment: base,
    known: [],
    listed: [],
    enumerated,
    knownTruncated: false,
    prices: new Map([[weth, { usdPerUnit: 1, source: 'feed' }]]),
    doubts: [],
    holders: [],
  });
}

test('default: every factory says that there is no pool: nothing can be drawn, and that is certain', () => {
  const { coverage, section } = look('no-pool');
  expect(coverage).toMatchObject({ conclusive: true, poolsFound: 0, venuesUnread: 0 });
  expect(section).toMatchObject({ poolCount: 0, venueCount: 0, exitLiquidityUsd: 0 });
});

describe('behavior: what could not be looked at is no zero', () => {
  test('factories did not answer', () => {
    const finding = look('unread');
    expect(finding.coverage).toMatchObject({ conclusive: false, poolsFound: null, factoriesChecked: 0 });
    expect(finding.section).toMatchObject({ poolCount: null, venueCount: null, exitLiquidityUsd: null });
    expect(liquiditySignal(finding, 1_000)).toMatchObject({ severity: 'unknown', value: null });
    expect(liquiditySignal(finding, 1_000).reason).not.toContain('price');
  });

  test('the factories are not there: nobody was asked, so nothing is proven', () => {
    const { coverage, section, reasons } = look('no-factory');
    expect(reasons.join(' ')).toContain('nobody could be asked');
    expect(coverage).toMatchObject({ conclusive: false, poolsFound: null, factoriesChecked: 0 });
    expect(section.exitLiquidityUsd).toBeNull();
  });

  test('their logs were refused', () => {
    const { coverage, section } = look('no-pool', {
      enumerated: { ok: false, reason: 'range too wide', index: undefined },
    });
    expect(coverage).toMatchObject({ conclusive: false, poolsFound: 0 });
    expect(section.exitLiquidityUsd).toBeNull();
    expect(section.note).toContain('not every place');
  });
});

test('behavior: a singleton’s pool is counted when its sale brought something that is inside the sum', () => {
  const pool = (status: SlotStatus, pot: bigint, counter: Address = weth): ExitPool => ({
    slot: 0,
    id: '0x01',
    kind: kinds.v4,
    pool: token,
    counter,
    fee: 3000,
    tickSpacing: 60,
    hooks: noHooks,
    feePips: 3000,
    status,
    used: pot,
    pot,
    price: 0n,
    other: 0n,
    stockStatus: 'empty',
    stock: 0n,
  });
  const exits = [pool('filled', 40n), pool('empty', 0n), pool('rejected', 0n), pool('filled', 7n, token)];
  const { coverage, section } = look('no-pool', { exits });
  expect(coverage).toMatchObject({ singletonPoolsSeen: 4, singletonPoolsCounted: 1, singletonPoolsRejected: 1 });
  expect(section.exitLiquidityUsd).toBe(40);
});
