import type { Moment, Refusal, ScenarioResult, StepResult } from '../simulation/simulationTypes.ts';
import type { TimedTax } from './transferFinding.ts';

/** A scenario that the node simulated. */
export type Ran = Extract<ScenarioResult, { status: 'ran' }>;

export function saleTaxAt(ran: Ran | undefined, at: Moment): TimedTax | null {
  const [sale] = salesOf(ran, at);
  const tax = sale?.ok && sale.what === 'sell' ? missing(sale.arrived, sale.sent) : null;
  return tax !== null && sale?.ok && sale.what === 'sell' ? { tax, lost: sale.sent - sale.arrived } : null;
}

const stepsAt = (ran: Ran | undefined, at: Moment) => (ran?.steps ?? []).filter(({ step }) => step.at === at);

/** Whether the purchase returned tokens; null if our own payment failed, because that proves nothing. */
export function buyOf(ran: Ran | undefined): boolean | null {
  const result = ran?.steps.find(({ step }) => step.what === 'buy')?.result;
  if (!result) return null;
  if (result.ok) return result.what === 'buy' && result.received > 0n;
  return isOurs(result.refusal) ? null : false;
}

const isOurs = ({ stage }: Refusal) => stage === 'payment-failed' || stage === 'worth-nothing';

/** Sales of the trader that had something to sell. */
export function salesOf(ran: Ran | undefined, at: Moment, who: 'trader' | 'receiver' = 'trader'): StepResult[] {
  return stepsAt(ran, at)
    .filter(({ step }) => step.what === 'sell' && step.who === who)
    .map(({ result }) => result)
    .filter((result) => !(result.ok && result.what === 'sell' && result.sent === 0n));
}

export function isSale(result: StepResult): boolean | null {
  if (result.ok) return result.what === 'sell' && result.received > 0n;
  // Some routers accept an odd return value: whether a sale works depends on the router.
  return ['worth-nothing', 'pull-returned-other'].includes(result.refusal.stage) ? null : false;
}

/** The first sale at a moment; null when nothing was bought or there was nothing to sell. */
export function saleAt(ran: Ran | undefined, at: Moment): boolean | null {
  if (buyOf(ran) !== true) return null;
  const [first] = salesOf(ran, at);
  return first ? isSale(first) : null;
}

export function receiverSale(ran: Ran | undefined): boolean | null {
  const [first] = salesOf(ran, 'later', 'receiver');
  return first ? isSale(first) : null;
}

export function anyTrue(values: readonly (boolean | null)[]): boolean | null {
  if (values.some((value) => value === true)) return true;
  return values.some((value) => value === false) ? false : null;
}

export function firstTax(runs: readonly (Ran | undefined)[], taxOf: (ran: Ran) => number | null): number | null {
  for (const run of runs) {
    const tax = run ? taxOf(run) : null;
    if (tax !== null) return tax;
  }
  return null;
}

/** 1 − received / what the pool says it sent. */
export function buyTaxOf(ran: Ran): number | null {
  const result = ran.steps.find(({ step }) => step.what === 'buy')?.result;
  if (!result?.ok || result.what !== 'buy') return null;
  // What the pool sent can be sold again, so it arrived, whatever balanceOf says.
  return reportsFalseBalance(ran) ? 0 : missing(result.received, result.nominal);
}

export function reportsFalseBalance(ran: Ran | undefined): boolean {
  const result = ran?.steps.find(({ step }) => step.what === 'buy')?.result;
  return result?.ok === true && result.what === 'buy' && result.received * 2n > result.nominal * 3n;
}

/** 1 − what the pool found / what the wallet sent; also from a sale that the pool refused for arriving short. */
export function sellTaxOf(ran: Ran): number | null {
  const sales = (['later', 'next', 'day', 'purchase'] as const).flatMap((at) => salesOf(ran, at));
  for (const sale of sales) if (sale.ok && sale.what === 'sell') return missing(sale.arrived, sale.sent);
  for (const sale of sales) {
    if (!sale.ok && sale.refusal.stage === 'arrived-short') return missing(sale.refusal.arrived, sale.refusal.sent);
  }
  return null;
}

type Refused = Extract<StepResult, { ok: false }>;

/** A plain transfer that was refused although the wallet held enough; undefined if it worked or proves nothing. */
export function refusedTransfer(ran: Ran | undefined): Refused | undefined {
  const moved = transferOf(ran);
  return moved && !moved.result.ok && transferGap(ran) === null ? moved.result : undefined;
}

export const measuresNoTransfer = (ran: Ran | undefined) => !transferOf(ran) || transferGap(ran) !== null;

/** Why no transfer could be measured in any of these runs; null if one was, or none was simulated. */
export function transferGapOf(runs: readonly (Ran | undefined)[]): string | null {
  const gaps = runs.filter((run) => transferOf(run)).map(transferGap);
  return gaps.every((gap) => gap !== null) ? (gaps[0] ?? null) : null;
}

/** Why a run's transfer shows nothing about the token; null if it does. */
function transferGap(ran: Ran | undefined): string | null {
  const moved = transferOf(ran);
  if (!ran || !moved || moved.result.ok) return null;
  if (buyOf(ran) !== true) return 'the simulated wallet held nothing, because its purchase failed';
  // A refused transfer moves nothing, so the balance read after it is the balance before it.
  const held = balanceAt(ran, 'next');
  if (held === undefined) return 'the balance of the simulated wallet could not be read';
  return held < moved.step.amount ? 'the simulated wallet held less than it was to send' : null;
}

function transferOf(ran: Ran | undefined) {
  for (const { step, result } of stepsAt(ran, 'next')) if (step.what === 'transfer') return { step, result };
  return undefined;
}

export function transferTaxOf(ran: Ran | undefined): number | null {
  const moved = transferOf(ran);
  const landed = stepsAt(ran, 'next').find(({ step }) => step.what === 'balance' && step.who === 'receiver');
  if (!moved?.result.ok || moved.step.amount === 0n) return null;
  if (!landed?.result.ok || landed.result.what !== 'balance') return null;
  return missing(landed.result.value, moved.step.amount);
}

/** The trader's balance at its last reading in a block. */
export function balanceAt(ran: Ran | undefined, at: Moment): bigint | undefined {
  const entries = stepsAt(ran, at).filter(({ step }) => step.what === 'balance' && step.who === 'trader');
  const result = entries.at(-1)?.result;
  return result?.ok && result.what === 'balance' ? result.value : undefined;
}

export function routesOf(ran: Ran | undefined, at: Moment) {
  return stepsAt(ran, at).flatMap(({ step, result }) => (step.what === 'route' ? [{ step, result }] : []));
}

export function rebased(ran: Ran | undefined): boolean {
  const [before, after] = [balanceAt(ran, 'next'), balanceAt(ran, 'later')];
  return before !== undefined && after !== undefined && before !== after;
}

function missing(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  // Nine digits: a unit lost to rounding is no tax.
  const share = Number(((whole - part) * 1_000_000_000n) / whole) / 1e9;
  return Math.abs(share) < 1e-6 ? 0 : share;
}
