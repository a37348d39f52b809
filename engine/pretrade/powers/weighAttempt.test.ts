import { expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import type { Step, StepResult } from '../simulation/simulationTypes.ts';
import { hasSupply, weighAttempt } from './weighAttempt.ts';

const [owner, decoy] = [toLowerAddress(`0x${'1'.repeat(40)}`), toLowerAddress(`0x${'2'.repeat(40)}`)];
const value = (step: Step, amount: bigint) => ({
  step,
  result: { ok: true, what: step.what, value: amount } as unknown as StepResult,
});

/** A run whose supply is 100, with the owner's balance and the decoy's before and after the call. */
function runOf(balances: { owner: [bigint, bigint]; decoy: [bigint, bigint] }, supply = 100n) {
  const steps = (['purchase', 'next'] as const).flatMap((at, index) => [
    value({ what: 'balance', at, who: 'trader' }, 10n),
    value({ what: 'supply', at }, supply),
    value({ what: 'balance', at, who: owner }, balances.owner[index] ?? 0n),
    value({ what: 'balance', at, who: decoy }, balances.decoy[index] ?? 0n),
  ]);
  const call = value({ what: 'call', at: 'next', from: owner, data: '0x' }, 0n);
  return { name: 'power', status: 'ran' as const, steps: [...steps, call] };
}
const control = runOf({ owner: [0n, 0n], decoy: [0n, 0n] });

test.each([
  { what: 'one balance exceeds the supply', balances: { owner: [0n, 101n], decoy: [0n, 0n] }, effects: ['mint'] },
  { what: 'all together exceed it', balances: { owner: [20n, 80n], decoy: [20n, 20n] }, effects: ['mint'] },
  {
    what: 'another account exceeded it before',
    balances: { owner: [0n, 50n], decoy: [300n, 300n] },
    effects: ['mint'],
  },
  { what: 'a transfer between two accounts', balances: { owner: [0n, 50n], decoy: [300n, 250n] }, effects: [] },
  { what: 'the sum stays below it', balances: { owner: [0n, 50n], decoy: [0n, 0n] }, effects: [] },
] as const)('weighs a call after which $what: $effects', ({ balances, effects }) => {
  const { owner: own, decoy: other } = balances;
  expect(weighAttempt(runOf({ owner: [...own], decoy: [...other] }), control, false)).toEqual(effects);
});

test('a supply of zero is no limit and not readable', () => {
  const run = runOf({ owner: [0n, 50n], decoy: [0n, 0n] }, 0n);
  expect(weighAttempt(run, control, false)).toEqual([]);
  expect([hasSupply(run), hasSupply(control)]).toEqual([false, true]);
});
