import { numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { address, base, plan, wrapped } from '../../../tests/support/engine/testPlan.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { planScenarios } from './planScenarios.ts';
import type { Moment, SimulationBase } from './simulationTypes.ts';
import { nativeBalanceOf } from './standIns.ts';
import { sharesRouter, toSharedSimulation } from './toSimulation.ts';
import { firstWaiting, noWaiting, type Waiting } from './waiting.ts';

test('shared scenarios run equal moments at equal times, so that a limit of up to a day affects all of them', () => {
  const seconds = secondsAfter(base);
  expect(Object.values(seconds).map(({ size }) => size)).toEqual([1, 1, 1, 0, 1, 0]);
  expect([seconds.purchase, seconds.next]).toEqual([new Set([2]), new Set([3])]);
});

test('the distances of later sales from the purchase differ between blocks', () => {
  const drawn = Array.from({ length: 30 }, (_, block) => {
    const { later, day } = secondsAfter({ ...base, prevRandao: randomOf(block) });
    return [...later, ...day] as [number, number];
  });
  expect(new Set(drawn.map(([later]) => later)).size).toBeGreaterThan(5);
  expect(new Set(drawn.map(([, day]) => day)).size).toBeGreaterThan(10);
  for (const [later, day] of drawn) {
    expect(later).toBeGreaterThanOrEqual(2 + 60);
    expect(later).toBeLessThanOrEqual(2 + 85);
    expect(day).toBeGreaterThan(2 + 86_400);
  }
});

/** Seconds from the block of the simulation to each moment of shared scenarios. */
function secondsAfter(from: SimulationBase): Record<Moment, Set<number>> {
  const scenarios = planScenarios([plan], from, { brief: true }).filter(({ wallet }) => wallet !== 'bare');
  const [first] = scenarios;
  expect(scenarios.every((scenario) => first && sharesRouter(first, scenario))).toBe(true);

  const { call, layout } = toSharedSimulation(scenarios, from, wrapped);
  const [{ blockStateCalls }] = call.params as [{ blockStateCalls: { blockOverrides: { time: string } }[] }];
  const seconds: Record<Moment, Set<number>> = {
    purchase: new Set(),
    next: new Set(),
    later: new Set(),
    tenMinutes: new Set(),
    day: new Set(),
    afterYear: new Set(),
  };
  for (const [index, { steps }] of layout.later.entries()) {
    const time = Number(blockStateCalls[index + 1]?.blockOverrides.time) - 1_000;
    for (const ref of steps) if (ref) seconds[ref.step.at].add(time);
  }

  return seconds;
}

interface SimulatedBlock {
  blockOverrides: { number?: string; time: string; baseFeePerGas: string };
  calls: object[];
}

/** The simulated blocks of each scenario. */
function blocksOf(from: SimulationBase, waiting: Waiting): [string, SimulatedBlock[]][] {
  return planScenarios([plan], from, { waiting }).map((scenario) => {
    const { call } = toSharedSimulation([scenario], from, wrapped);
    return [scenario.name, (call.params as [{ blockStateCalls: SimulatedBlock[] }])[0].blockStateCalls];
  });
}

test.each([
  ['none', noWaiting],
  ['the small trade', firstWaiting],
  ['all', { small: 'twice', others: 'twice' }],
] as const)(
  'every simulated block is consecutive, later by at least a second, and has a base fee (waiting: %s)',
  (_who, waiting) => {
    for (let block = 0; block < 20; block += 1) {
      for (const [name, blocks] of blocksOf({ ...base, prevRandao: randomOf(block) }, waiting)) {
        const overrides = blocks.map(({ blockOverrides }) => blockOverrides);
        expect([name, overrides.map(({ number }) => Number(number))]).toEqual([
          name,
          blocks.map((_, index) => 2 + index),
        ]);
        const times = overrides.map(({ time }) => Number(time));
        expect(times.every((time, index) => time > (times[index - 1] ?? 1_000))).toBe(true);
        expect(overrides.every(({ baseFeePerGas }) => baseFeePerGas === '0x1')).toBe(true);
        expect(blocks.length).toBeLessThanOrEqual(256);
      }
    }
  },
);

test('blocks of a simulation from latest have no number, because the head is not known', () => {
  for (const [, blocks] of blocksOf({ ...base, block: 'latest' }, firstWaiting)) {
    expect(blocks.every(({ blockOverrides }) => blockOverrides.number === undefined)).toBe(true);
  }
});

test('only the small trade waits for blocks: 60 or more before the later sale, 128 or more before the sale a day later', () => {
  const counts = new Map(blocksOf(base, firstWaiting).map(([name, blocks]) => [name, blocks.length]));
  expect([...counts].filter(([, count]) => count > 6).map(([name]) => name)).toEqual(['small']);
  const blocks = blocksOf(base, firstWaiting).find(([name]) => name === 'small')?.[1] ?? [];
  const used = blocks.flatMap(({ calls }, index) => (calls.length > 0 ? [index] : []));
  const [, purchase = 0, , later = 0, day = 0] = used;
  expect(later - purchase).toBeGreaterThanOrEqual(60);
  expect(day - purchase).toBeGreaterThan(128);
  expect(day).toBe(blocks.length - 1);
});

const randomOf = (block: number) => numberToHex(block, { size: 32 });

test('one sale pays a larger tip than the others, within the balance of its wallet', () => {
  for (let round = 0; round < 50; round += 1) {
    const steps = planScenarios([plan], { ...base, baseFee: 5n, prevRandao: randomOf(round) }).flatMap((scenario) =>
      scenario.steps.map((step) => ({ scenario, step })),
    );
    const larger = steps.filter(({ step }) => step.action === 'sell' && step.moreTip !== undefined);
    expect(larger).toHaveLength(1);
    for (const { scenario, step } of larger) {
      const price = scenario.gasPrice + (step.action === 'sell' ? (step.moreTip ?? 0n) : 0n);
      expect(price).toBeGreaterThanOrEqual(2_500_005n);
      expect(price * scenario.means.gas).toBeLessThan(
        BigInt(nativeBalanceOf({ ...scenario, means: { ...scenario.means, spare: 0n } })),
      );
    }
  }
});

test('the tip of the other sales is half to twice 0.001 gwei, and differs between blocks but not within one', () => {
  const tipsOf = (block: number) =>
    planScenarios([plan], { ...base, baseFee: 5n, prevRandao: randomOf(block) })
      .filter(({ name }) => name !== 'high-gas-price')
      .map(({ gasPrice }) => gasPrice - 5n);
  expect(new Set(tipsOf(7)).size).toBe(1);
  expect(tipsOf(7)).toEqual(tipsOf(7));
  const many = Array.from({ length: 50 }, (_, block) => tipsOf(block)[0] ?? 0n);
  expect(many.every((tip) => tip >= 500_000n && tip < 2_000_000n)).toBe(true);
  expect(new Set(many).size).toBe(many.length);
});

test('the larger tip depends on token and block alone, so that repeated simulations agree', () => {
  const tipsOf = (token: LowerAddress, block: number) =>
    planScenarios([{ ...plan, pool: { ...plan.pool, token } }], { ...base, prevRandao: randomOf(block) }).flatMap(
      ({ steps }) => steps.flatMap((step) => (step.action === 'sell' ? (step.moreTip ?? []) : [])),
    );
  const token = address('2');
  expect(tipsOf(token, 7)).toEqual(tipsOf(token, 7));
  expect(tipsOf(token, 7)).not.toEqual(tipsOf(token, 8));
  expect(tipsOf(token, 7)).not.toEqual(tipsOf(address('9'), 7));
  const many = Array.from({ length: 50 }, (_, block) => tipsOf(token, block).map((tip) => tip >> 21n));
  expect(new Set(many.flat()).size).toBeGreaterThan(4);
});

test('balance and gas limit of each wallet differ', () => {
  const means = planScenarios([plan], base).map((scenario) => scenario.means);
  expect(new Set(means.map(({ spare }) => spare)).size).toBe(means.length);
  expect(new Set(means.map(({ gas }) => gas)).size).toBeGreaterThan(1);
  // A transaction on Base has at most 2^24 gas (EIP-7825).
  expect(means.every(({ gas }) => gas >= 16_000_000n && gas < 2n ** 24n)).toBe(true);
});

test('the wallet with the high gas price can pay for three full gas limits', () => {
  const highest = planScenarios([plan], base).find(({ name }) => name === 'high-gas-price');
  if (!highest) throw new Error('No scenario has a high gas price.');
  const means = { spare: 0n, gas: 16_750_000n };
  const balance = BigInt(nativeBalanceOf({ ...highest, funder: address('5'), means }));
  expect(balance).toBeGreaterThanOrEqual(3n * means.gas * highest.gasPrice);
});

test('each block has a different prevrandao, which is equal in every simulation of one state', () => {
  const prevRandao = `0x${'5'.repeat(64)}` as const;
  const randomsOf = () => {
    const scenarios = planScenarios([plan], base, { brief: true }).filter(({ wallet }) => wallet !== 'bare');
    const { call } = toSharedSimulation(scenarios, { ...base, prevRandao }, wrapped);
    const [{ blockStateCalls }] = call.params as [
      { blockStateCalls: { blockOverrides: { prevRandao?: string }; calls: object[] }[] },
    ];
    // No code runs in a block without calls.
    return blockStateCalls
      .slice(1)
      .filter(({ calls }) => calls.length > 0)
      .map(({ blockOverrides }) => blockOverrides.prevRandao);
  };
  const randoms = randomsOf();
  expect(randoms.length).toBeGreaterThan(2);
  expect(new Set(randoms).size).toBe(randoms.length);
  expect(randoms).not.toContain(prevRandao);
  expect(randomsOf()).toEqual(randoms);
});
