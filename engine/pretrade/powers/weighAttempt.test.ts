import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { Step, StepResult } from '../simulation/simulationTypes.ts';
import { hasSupply, weighAttempt } from './weighAttempt.ts';

const [owner, decoy] = [toLowerAddress(`0x${'1'.repeat(40)}`), toLowerAddress(`0x${'2'.repeat(40)}`)];
const value = (step: Step, amount: bigint) => ({
  step,
  result: { ok: true, action: step.action, value: amount } as unknown as StepResult,
});

/** A run whose supply is 100, with the owner's balance and the decoy's before and after the call. */
function runOf(balances: { owner: [bigint, bigint]; decoy: [bigint, bigint] }, supply = 100n) {
  const steps = (['purchase', 'next'] as const).flatMap((at, index) => [
    value({ action: 'balance', at, account: 'trader' }, 10n),
    value({ action: 'supply', at }, supply),
    value({ action: 'balance', at, account: owner }, balances.owner[index] ?? 0n),
    value({ action: 'balance', at, account: decoy }, balances.decoy[index] ?? 0n),
  ]);
  const call = value({ action: 'call', at: 'next', from: owner, data: '0x' }, 0n);
  return { name: 'power', status: 'ran' as const, steps: [...steps, call] };
}
const control = runOf({ owner: [0n, 0n], decoy: [0n, 0n] });

test.each([
  { case: 'one balance exceeds the supply', balances: { owner: [0n, 101n], decoy: [0n, 0n] }, effects: ['mint'] },
  {
    case: 'the sum of the balances exceeds the supply',
    balances: { owner: [20n, 80n], decoy: [20n, 20n] },
    effects: ['mint'],
  },
  {
    case: 'the sum has risen, having exceeded the supply before',
    balances: { owner: [0n, 50n], decoy: [300n, 300n] },
    effects: ['mint'],
  },
  { case: 'tokens have moved between two accounts', balances: { owner: [0n, 50n], decoy: [300n, 250n] }, effects: [] },
  { case: 'the sum is still below the supply', balances: { owner: [0n, 50n], decoy: [0n, 0n] }, effects: [] },
] as const)('returns $effects for a call after which $case', ({ balances, effects }) => {
  const { owner: own, decoy: other } = balances;
  expect(weighAttempt(runOf({ owner: [...own], decoy: [...other] }), control, false)).toEqual(effects);
});

/** A run in which the wallets sell or not; `called` adds the call. */
function salesOf(sold: { trader: boolean; receiver: boolean }, called: boolean) {
  const sales = (['later', 'day', 'afterYear'] as const).flatMap((at) =>
    (['trader', 'receiver'] as const).map((account) => ({
      step: { action: 'sell', at, account, bps: 5_000 } as const,
      result: { ok: sold[account], action: 'sell', received: 1n } as unknown as StepResult,
    })),
  );
  const call = value({ action: 'call', at: 'next', from: owner, data: '0x' }, 0n);
  return { name: 'power', status: 'ran' as const, steps: [...sales, ...(called ? [call] : [])] };
}

test.each([
  { names: 'no holder', receiver: 'could sell', namesHolder: false, before: true, effect: 'block-all-sales' },
  // Tokens that refuse transfers between wallets leave the receiver without tokens.
  { names: 'no holder', receiver: 'could not sell', namesHolder: false, before: false, effect: 'block-all-sales' },
  { names: 'the holder', receiver: 'could not sell', namesHolder: true, before: false, effect: 'block-holder' },
] as const)(
  'returns $effect for a call that names $names and stops the sales of a receiver that $receiver before',
  ({ namesHolder, before, effect }) => {
    const without = salesOf({ trader: true, receiver: before }, false);
    expect(weighAttempt(salesOf({ trader: false, receiver: false }, true), without, namesHolder)).toEqual([effect]);
  },
);

test('ignores a supply of zero, and reports it as not readable', () => {
  const run = runOf({ owner: [0n, 50n], decoy: [0n, 0n] }, 0n);
  expect(weighAttempt(run, control, false)).toEqual([]);
  expect([hasSupply(run), hasSupply(control)]).toEqual([false, true]);
});
