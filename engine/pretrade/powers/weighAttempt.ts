import type { LowerAddress } from '../../lowerAddress.ts';
import type { Ran } from '../axes/tradeSteps.ts';
import type { PowerEffect } from '../pretradePorts.ts';
import type { Step, StepResult } from '../simulation/simulationTypes.ts';

/** Steps around one call: two wallets get tokens, the caller makes the call, both wallets try to sell. */
export function attemptSteps(
  spend: bigint,
  gift: bigint,
  call: { from: LowerAddress; data: `0x${string}` } | undefined,
  watched: readonly LowerAddress[],
): Step[] {
  const watch = (at: 'purchase' | 'next') => watched.map((account): Step => ({ action: 'balance', at, account }));
  return [
    { action: 'buy', at: 'purchase', amount: spend },
    { action: 'transfer', at: 'purchase', amount: gift },
    // After a purchase tax of 99 % the wallet holds enough only for this one.
    { action: 'transfer', at: 'purchase', amount: gift / 100n },
    { action: 'approve', at: 'purchase', account: 'trader' },
    { action: 'approve', at: 'purchase', account: 'receiver' },
    { action: 'balance', at: 'purchase', account: 'trader' },
    { action: 'supply', at: 'purchase' },
    ...(call ? watch('purchase') : []),
    ...(call ? ([{ action: 'call', at: 'next', ...call }] as const) : []),
    { action: 'balance', at: 'next', account: 'trader' },
    { action: 'supply', at: 'next' },
    ...(call ? watch('next') : []),
    { action: 'sell', at: 'later', account: 'trader', bps: 5_000 },
    // Passes a limit that the sale before exceeds.
    { action: 'sell', at: 'later', account: 'trader', bps: 1 },
    { action: 'sell', at: 'later', account: 'receiver', bps: 5_000 },
    // Detect effects that begin later.
    { action: 'sell', at: 'day', account: 'trader', bps: 5_000 },
    { action: 'sell', at: 'day', account: 'receiver', bps: 5_000 },
    { action: 'sell', at: 'afterYear', account: 'trader', bps: 5_000 },
    { action: 'sell', at: 'afterYear', account: 'receiver', bps: 10_000 },
  ];
}

/** The results by which two runs are compared. */
interface Outcome {
  called: boolean;
  later: Sales;
  day: Sales;
  afterYear: Sales;
  tax: number | null;
  lost: boolean;
  /** The supply rose, or the watched balances together exceed it by more than before. */
  minted: boolean;
  /** A sale of a ten-thousandth works. */
  sellsLittle: boolean;
}

/** Whether each of the two wallets sells at one moment. */
interface Sales {
  trader: boolean;
  receiver: boolean;
}

/**
 * The effects of a call, compared with the same run without it. An effect that the run without it also shows does not
 * count: a token that blocks sales anyway gains no power from the call.
 *
 * @param namesHolder whether the call's arguments contain the holder; a call without it cannot single the holder out
 */
export function weighAttempt(run: Ran, without: Ran, namesHolder: boolean): PowerEffect[] {
  const [after, before] = [outcomeOf(run), outcomeOf(without)];
  if (!after.called) return [];
  const effects: PowerEffect[] = [];
  const moment = (['later', 'day', 'afterYear'] as const).find((at) => before[at].trader && !after[at].trader);
  if (moment && !(after.lost && !before.lost)) {
    // A receiver that sells in neither run does not distinguish a rule for all from a rule for buyers.
    const all = !after[moment].receiver && (before[moment].receiver || !namesHolder);
    if ((moment === 'later' && after.sellsLittle) || (!all && !namesHolder)) effects.push('limit-trades');
    else effects.push(all ? 'block-all-sales' : 'block-holder');
  }
  if (after.tax !== null && before.tax !== null && after.tax - before.tax > 0.05) effects.push('raise-tax');
  if (after.minted && !before.minted) effects.push('mint');
  if (after.lost && !before.lost) effects.push('seize');
  return effects;
}

/** Gas of a transaction and of one write to an empty slot. Blacklisting a holder takes at least that. */
const minWriteGas = 21_000n + 20_000n;

/**
 * Whether the caller could execute the function. If anyone can call it, it must also use the gas of a storage write: the
 * function may return early for all accounts but one.
 */
export function wasExecuted(run: Ran, acceptsAnyone: boolean): boolean {
  const call = callIn(run);
  if (call?.ok !== true || call.action !== 'call') return false;
  return !acceptsAnyone || (call.gasUsed ?? 0n) >= minWriteGas;
}

const callIn = (run: Ran) => run.steps.find(({ step }) => step.action === 'call')?.result;

/** Whether the caller's call ran out of gas. */
export function ranOutOfGas(run: Ran): boolean {
  const call = callIn(run);
  return call?.ok === false && call.refusal.stage === 'out-of-gas';
}

/** Whether an ordinary wallet bought and, a minute later, sold in this run. */
export const traderSold = (run: Ran): boolean => outcomeOf(run).later.trader;

function outcomeOf(run: Ran): Outcome {
  const results = (action: Step['action'], at: Step['at'], account?: string) =>
    run.steps
      .filter(
        ({ step }) =>
          step.action === action &&
          step.at === at &&
          (account === undefined || ('account' in step && step.account === account)),
      )
      .map(({ result }) => result);
  const [traderSale, littleSale] = results('sell', 'later', 'trader');
  const salesAt = (at: 'later' | 'day' | 'afterYear'): Sales => ({
    trader: sells(results('sell', at, 'trader')[0]),
    receiver: sells(results('sell', at, 'receiver')[0]),
  });
  const values = (action: 'balance' | 'supply', at: Step['at']) =>
    results(action, at).map((result) => (result.ok && 'value' in result ? result.value : undefined));
  const [balances, balancesAfter] = [values('balance', 'purchase'), values('balance', 'next')];
  const [[balance], [balanceAfter]] = [balances, balancesAfter];
  const [[supply], [supplyAfter]] = [values('supply', 'purchase'), values('supply', 'next')];
  return {
    called: results('call', 'next')[0]?.ok ?? false,
    later: salesAt('later'),
    day: salesAt('day'),
    afterYear: salesAt('afterYear'),
    tax:
      traderSale?.ok && traderSale.action === 'sell' && traderSale.sent > 0n
        ? 1 - Number(traderSale.arrived) / Number(traderSale.sent)
        : null,
    lost: balance !== undefined && balanceAfter !== undefined && balanceAfter < balance,
    minted:
      supply !== undefined &&
      supplyAfter !== undefined &&
      (supplyAfter > supply || isExcessRaised(balances, balancesAfter, supply, supplyAfter)),
    sellsLittle: sells(littleSale),
  };
}

/** Tolerance, as a part of the supply, because rounded balances may together exceed it. */
const roundingPart = 1_000_000n;

/**
 * Whether a call made the balances of these accounts exceed the supply, or exceed it by more. An account that always
 * reports more than the supply must not hide what a call adds.
 */
function isExcessRaised(before: Readings, after: Readings, supply: bigint, supplyAfter: bigint): boolean {
  // A zero supply is no limit: every transfer would raise the excess.
  if (supply === 0n || supplyAfter === 0n) return false;
  let [excess, excessAfter] = [-supply, -supplyAfter];
  for (const [index, held] of before.entries()) {
    const heldAfter = after[index];
    if (held === undefined || heldAfter === undefined) continue;
    excess += held;
    excessAfter += heldAfter;
  }
  return excessAfter - (excess > 0n ? excess : 0n) > supplyAfter / roundingPart;
}

type Readings = readonly (bigint | undefined)[];

/** Whether the supply could be read in this run; without it, a raised balance is not recognised. */
export const hasSupply = (run: Ran): boolean =>
  run.steps.some(({ step, result }) => step.action === 'supply' && result.ok && 'value' in result && result.value > 0n);

const sells = (result: StepResult | undefined) =>
  result?.ok === true && result.action === 'sell' && result.received > 0n;
