import type { PowerEffect } from '../pretradePorts.ts';
import type { ScenarioResult, Step, StepResult } from '../simulation/simulationTypes.ts';

type Ran = Extract<ScenarioResult, { status: 'ran' }>;

/** Steps around one call: two wallets hold the token, the caller acts, both try to sell. */
export function attemptSteps(
  spend: bigint,
  gift: bigint,
  call: { from: `0x${string}`; data: `0x${string}` } | undefined,
): Step[] {
  return [
    { what: 'buy', at: 'purchase', amount: spend },
    { what: 'transfer', at: 'purchase', amount: gift },
    // After a purchase tax of 99 % the wallet holds enough only for this one.
    { what: 'transfer', at: 'purchase', amount: gift / 100n },
    { what: 'approve', at: 'purchase', who: 'trader' },
    { what: 'approve', at: 'purchase', who: 'receiver' },
    { what: 'balance', at: 'purchase', who: 'trader' },
    { what: 'supply', at: 'purchase' },
    ...(call ? watched(call.from, 'purchase') : []),
    ...(call ? ([{ what: 'call', at: 'next', ...call }] as const) : []),
    { what: 'balance', at: 'next', who: 'trader' },
    { what: 'supply', at: 'next' },
    ...(call ? watched(call.from, 'next') : []),
    { what: 'sell', at: 'later', who: 'trader', bps: 5_000 },
    // Passes a limit that the sale before exceeds.
    { what: 'sell', at: 'later', who: 'trader', bps: 1 },
    { what: 'sell', at: 'later', who: 'receiver', bps: 10_000 },
  ];
}

/** Balances that a call may raise, beside the trader's. */
const watched = (caller: `0x${string}`, at: 'purchase' | 'next'): Step[] => [
  { what: 'balance', at, who: 'receiver' },
  { what: 'balance', at, who: caller },
];

/** What of a run matters for telling one from another. */
interface Outcome {
  called: boolean;
  traderSells: boolean;
  receiverSells: boolean;
  tax: number | null;
  lost: boolean;
  /** The supply rose, or one balance now exceeds it. */
  minted: boolean;
  /** A sale of a ten-thousandth works. */
  sellsLittle: boolean;
}

/**
 * What a call brought about, against the same run without it. Only what the run without it did not show counts: a
 * token that blocks sales anyway gains no power by a call that changes nothing.
 * @param args types of the call's arguments: a call without an address cannot single out a holder
 */
export function weighAttempt(run: Ran, without: Ran, args: string): PowerEffect[] {
  const [after, before] = [outcomeOf(run), outcomeOf(without)];
  if (!after.called) return [];
  const effects: PowerEffect[] = [];
  const blocked = before.traderSells && !after.traderSells;
  if (blocked && !(after.lost && !before.lost)) {
    const all = before.receiverSells && !after.receiverSells;
    if (after.sellsLittle || (!all && !args.includes('address') && !args.includes('uint256[]')))
      effects.push('limit-trades');
    else effects.push(all ? 'block-all-sales' : 'block-holder');
  }
  if (after.tax !== null && before.tax !== null && after.tax - before.tax > 0.05) effects.push('raise-tax');
  if (after.minted && !before.minted) effects.push('mint');
  if (after.lost && !before.lost) effects.push('seize');
  return effects;
}

/** Whether the caller's call did not revert. */
export const wasExecuted = (run: Ran): boolean => outcomeOf(run).called;

/** Whether an ordinary wallet bought and, some 60 blocks later, sold in this run. */
export const traderSold = (run: Ran): boolean => outcomeOf(run).traderSells;

function outcomeOf(run: Ran): Outcome {
  const results = (what: Step['what'], at: Step['at'], who?: string) =>
    run.steps
      .filter(
        ({ step }) =>
          step.what === what && step.at === at && (who === undefined || ('who' in step && step.who === who)),
      )
      .map(({ result }) => result);
  const [traderSale, littleSale] = results('sell', 'later', 'trader');
  const [receiverSale] = results('sell', 'later', 'receiver');
  const value = (result: StepResult | undefined) => (result?.ok && 'value' in result ? result.value : undefined);
  const [balance, balanceAfter] = [value(results('balance', 'purchase')[0]), value(results('balance', 'next')[0])];
  const [supply, supplyAfter] = [value(results('supply', 'purchase')[0]), value(results('supply', 'next')[0])];
  const readings = (at: 'purchase' | 'next') => results('balance', at).map((result) => value(result) ?? 0n);
  const exceeds = (balances: bigint[], total: bigint | undefined) =>
    total !== undefined && balances.some((held) => held > total);
  return {
    called: results('call', 'next')[0]?.ok ?? false,
    traderSells: sells(traderSale),
    receiverSells: sells(receiverSale),
    tax:
      traderSale?.ok && traderSale.what === 'sell' && traderSale.sent > 0n
        ? 1 - Number(traderSale.arrived) / Number(traderSale.sent)
        : null,
    lost: balance !== undefined && balanceAfter !== undefined && balanceAfter < balance,
    minted:
      (supply !== undefined && supplyAfter !== undefined && supplyAfter > supply) ||
      (exceeds(readings('next'), supplyAfter) && !exceeds(readings('purchase'), supply)),
    sellsLittle: sells(littleSale),
  };
}

const sells = (result: StepResult | undefined) => result?.ok === true && result.what === 'sell' && result.received > 0n;
