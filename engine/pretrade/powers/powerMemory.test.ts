import { type Hex, toHex } from 'viem';
import { expect, test } from 'vitest';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { PowerScan } from '../pretradePorts.ts';
import type { TradePlan } from '../simulation/planScenarios.ts';
import type { CodeFacts } from '../tokenMemory.ts';
import { createPowerMemory } from './powerMemory.ts';
import type { RoleHolders } from './roleHolders.ts';

const zero = '0x0000000000000000000000000000000000000000';
const silent = { ok: false, word: 0n };
const roles: RoleHolders = { status: 'read', addresses: [] };

/** All that a question of powers takes of a token that has no owner. */
const subjectOf = (analysedHash: Hex) => {
  const code: CodeFacts = { codeHash: analysedHash, analysedHash, proxy: { status: 'none' }, functions: [] };
  const exit = { owner: silent, getOwner: silent, answersEverything: false, totalSupply: 1_000n } as ExitReading;
  const plan = { spend: 100n, worth: 100n } as TradePlan;
  const base = { block: '0x1', number: 1n, timestamp: 1n, baseFee: 1n, maker: undefined, random: undefined } as const;
  return {
    token: zero,
    code,
    exit,
    accounts: [],
    roles,
    plan,
    base,
    wrapped: zero,
  } as const;
};

const scanOf = (part: Partial<PowerScan>): PowerScan => ({
  ...{ scannedAt: 0, blockNumber: 1, functionsTried: 1, callsTried: 1, truncated: false, powers: [] },
  ...part,
});

/** A memory that one scan of one code was put into. */
async function memoryWith(scan: PowerScan) {
  const clock = { now: 0 };
  const memory = createPowerMemory(undefined, { now: () => clock.now, deadlineMs: 1_000 });
  const subject = subjectOf('0x01');
  await memory.conclude(await memory.recall(subject), async () => scan);
  return { clock, memory, subject };
}

test('default: a scan stands for all tokens of its code', async () => {
  const { clock, memory, subject } = await memoryWith(scanOf({}));
  clock.now = 1e9;
  expect(await memory.recall(subject)).toEqual({ status: 'known', scan: scanOf({}) });
});

test('behavior: one that was cut short and found nothing stands for a while only', async () => {
  const { clock, memory, subject } = await memoryWith(scanOf({ truncated: true }));
  clock.now = 599_999;
  expect(await memory.recall(subject)).toMatchObject({ status: 'known' });
  clock.now = 600_000;
  expect(await memory.recall(subject)).toMatchObject({ status: 'wanted' });
});

test('behavior: one that was cut short and found something is not lost', async () => {
  const power = {
    selector: '0x40c10f19',
    args: 'address,uint256',
    name: 'mint',
    effect: 'mint',
    caller: 'owner',
  } as const;
  const { clock, memory, subject } = await memoryWith(scanOf({ truncated: true, powers: [power] }));
  clock.now = 1e9;
  expect(await memory.recall(subject)).toMatchObject({ status: 'known', scan: { powers: [power] } });
});

test('behavior: the scan that was kept longest leaves when there are too many', async () => {
  const { memory, subject } = await memoryWith(scanOf({}));
  for (let index = 2; index <= 5_001; index += 1) {
    const recall = await memory.recall(subjectOf(toHex(index)));
    await memory.conclude(recall, async () => scanOf({}));
  }
  expect(await memory.recall(subject)).toMatchObject({ status: 'wanted' });
});
