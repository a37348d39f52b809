import type { Moment, PoolSwap, Refusal, ScenarioResult, StepResult } from '../simulation/simulationTypes.ts';
import type { Loss, TimedTax } from './transferFinding.ts';

/** A scenario that the node simulated. */
export type Ran = Extract<ScenarioResult, { status: 'ran' }>;

/** Tax of the first sale at a moment; null if no sale worked. */
export function saleTaxAt(ran: Ran | undefined, at: Moment): TimedTax | null {
  const [sale] = salesOf(ran, at);
  if (!sale?.ok || sale.action !== 'sell') return null;
  const share = shareLost(sale.arrived, sale.sent);
  if (share === null) return null;
  const tax = taxOf(lossOf(sale, share));
  const lost = tax === share ? sale.sent - sale.arrived : BigInt(Math.round(Number(sale.sent) * tax));
  return { tax, lost };
}

const stepsAt = (ran: Ran | undefined, at: Moment) => (ran?.steps ?? []).filter(({ step }) => step.at === at);

/** Whether the purchase returned tokens; null if the simulation's own payment failed, which proves nothing. */
export function buyOf(ran: Ran | undefined): boolean | null {
  const result = ran?.steps.find(({ step }) => step.action === 'buy')?.result;
  if (!result) return null;
  if (result.ok) return result.action === 'buy' && result.received > 0n;
  return isPaymentFault(result.refusal) ? null : false;
}

const isPaymentFault = ({ stage }: Refusal) => stage === 'payment-failed' || stage === 'worth-nothing';

/** The wallet's sales at a moment, without those of an empty balance. */
export function salesOf(ran: Ran | undefined, at: Moment, account: 'trader' | 'receiver' = 'trader'): StepResult[] {
  return stepsAt(ran, at)
    .filter(({ step }) => step.action === 'sell' && step.account === account)
    .map(({ result }) => result)
    .filter((result) => !(result.ok && result.action === 'sell' && result.sent === 0n));
}

/** Whether the sale paid something; null if that depends on the router, or the amount is too small to pay. */
export function isSale(result: StepResult): boolean | null {
  if (result.ok) return result.action === 'sell' && result.received > 0n;
  // Some routers accept a return value other than true.
  return ['worth-nothing', 'pull-returned-other', 'over-usual-gas'].includes(result.refusal.stage) ? null : false;
}

/** The first sale at a moment; null when nothing was bought or there was nothing to sell. */
export function saleAt(ran: Ran | undefined, at: Moment): boolean | null {
  if (buyOf(ran) !== true) return null;
  const [first] = salesOf(ran, at);
  return first ? isSale(first) : null;
}

/** Whether the wallet that received tokens by transfer can sell them after 60 blocks. */
export function receiverSale(ran: Ran | undefined): boolean | null {
  const [first] = salesOf(ran, 'later', 'receiver');
  return first ? isSale(first) : null;
}

export function anyTrue(values: readonly (boolean | null)[]): boolean | null {
  if (values.some((value) => value === true)) return true;
  return values.some((value) => value === false) ? false : null;
}

/** The first value that a run shows. */
export function firstTax<T>(runs: readonly (Ran | undefined)[], read: (ran: Ran) => T | null): T | null {
  for (const run of runs) {
    const tax = run ? read(run) : null;
    if (tax !== null) return tax;
  }
  return null;
}

/** Purchase tax as a signed fraction: what token and hook take (`Loss`). `at`: the moment of the purchase. */
export function buyTaxOf(ran: Ran, at: Moment = 'purchase'): number | null {
  const loss = buyLossOf(ran, at);
  return loss && taxOf(loss);
}

export function buyLossOf(ran: Ran, at: Moment = 'purchase'): Loss | null {
  const result = stepsAt(ran, at).find(({ step }) => step.action === 'buy')?.result;
  if (!result?.ok || result.action !== 'buy') return null;
  // The wallet can sell the amount that the pool sent, so it arrived. Only balanceOf() is wrong.
  const share = reportsFalseBalance(ran) ? 0 : shareLost(result.received, result.nominal);
  return share === null ? null : lossOf(result, share);
}

/** Whether balanceOf() grew by more than 1.5 times the amount that the pool sent: far more than any reflection pays. */
export function reportsFalseBalance(ran: Ran | undefined): boolean {
  const result = ran?.steps.find(({ step }) => step.action === 'buy')?.result;
  return result?.ok === true && result.action === 'buy' && result.received * 2n > result.nominal * 3n;
}

/** Sale tax as a signed fraction: what token and hook take (`Loss`). Also from a sale that was refused for it. */
export function sellTaxOf(ran: Ran): number | null {
  const loss = sellLossOf(ran);
  return loss && taxOf(loss);
}

export function sellLossOf(ran: Ran): Loss | null {
  const sales = (['later', 'next', 'day', 'purchase'] as const).flatMap((at) => salesOf(ran, at));
  for (const sale of sales) {
    if (!sale.ok || sale.action !== 'sell') continue;
    const share = shareLost(sale.arrived, sale.sent);
    return share === null ? null : lossOf(sale, share);
  }
  for (const sale of sales) {
    if (sale.ok || sale.refusal.stage !== 'arrived-short') continue;
    const token = shareLost(sale.refusal.arrived, sale.refusal.sent);
    return token === null ? null : { token, hook: 0, fee: 0, isDynamic: false };
  }
  return null;
}

/**
 * Percent of the price of a purchase that its immediate sale returns; 0 if that sale is refused. null: no purchase was
 * simulated, or none worked.
 */
export function roundTripPctOf(ran: Ran | undefined, saleAt: Moment = 'next'): number | null {
  const bought = ran?.steps.find(({ step }) => step.action === 'buy')?.result;
  if (!bought?.ok || bought.action !== 'buy' || bought.received === 0n || bought.paid === 0n) return null;
  const sale = stepsAt(ran, saleAt).find(({ step }) => step.action === 'sell')?.result;
  if (!sale) return null;
  if (!sale.ok) return isSale(sale) === null ? null : 0;
  return sale.action === 'sell' ? Math.round((Number(sale.received) / Number(bought.paid)) * 1e6) / 1e4 : null;
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
  // A refused transfer moves nothing, so the balance after it equals the balance before it.
  const held = balanceAt(ran, 'next');
  if (held === undefined) return 'the balance of the simulated wallet could not be read';
  return held < moved.step.amount ? 'the simulated wallet held less than the amount of the transfer' : null;
}

function transferOf(ran: Ran | undefined) {
  for (const { step, result } of stepsAt(ran, 'next')) if (step.action === 'transfer') return { step, result };
  return undefined;
}

export function transferTaxOf(ran: Ran | undefined): number | null {
  const moved = transferOf(ran);
  const received = stepsAt(ran, 'next').find(({ step }) => step.action === 'balance' && step.account === 'receiver');
  if (!moved?.result.ok || moved.step.amount === 0n) return null;
  if (!received?.result.ok || received.result.action !== 'balance') return null;
  return shareLost(received.result.value, moved.step.amount);
}

/** The trader's balance at its last reading in a block. */
export function balanceAt(ran: Ran | undefined, at: Moment): bigint | undefined {
  const entries = stepsAt(ran, at).filter(({ step }) => step.action === 'balance' && step.account === 'trader');
  const result = entries.at(-1)?.result;
  return result?.ok && result.action === 'balance' ? result.value : undefined;
}

export function routesOf(ran: Ran | undefined, at: Moment) {
  return stepsAt(ran, at).flatMap(({ step, result }) => (step.action === 'route' ? [{ step, result }] : []));
}

/** Whether the trader's balance changed between two blocks without a transfer. */
export function rebased(ran: Ran | undefined): boolean {
  const [before, after] = [balanceAt(ran, 'next'), balanceAt(ran, 'later')];
  return before !== undefined && after !== undefined && before !== after;
}

function shareLost(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  // A share below 1e-6 is rounding, not a tax.
  // The token rounds its fee down, so that a tax of 5 % is a little less.
  const share = Math.round(Number(((whole - part) * 10_000_000_000n) / whole) / 10) / 1e9;
  return Math.abs(share) < 1e-6 ? 0 : share;
}

/** An LP fee above this fraction is stated. If a hook sets it, it counts as taken. */
export const remarkableFee = 0.03;

type Trade = Extract<StepResult, { ok: true; action: 'buy' | 'sell' }>;

/** @param tokenTax the part of the tokens that did not arrive */
function lossOf(result: Trade, tokenTax: number): Loss {
  const { swap } = result;
  if (!swap) return { token: tokenTax, hook: 0, fee: 0, isDynamic: false };
  const [paid, received] = result.action === 'buy' ? [result.paid, result.nominal] : [result.sent, result.received];
  return { token: tokenTax, hook: hookPart(swap, paid, received), fee: swap.feePips / 1e6, isDynamic: swap.isDynamic };
}

/** A hook may take a part of what is paid before the swap, and of what the swap pays. */
function hookPart(swap: PoolSwap, paid: bigint, received: bigint): number {
  if (paid === 0n) return 0;
  const share = (Number(swap.in) / Number(paid)) * (Number(received) / Number(swap.out));
  return rounded(1 - share);
}

/** The part that the wallet loses beyond the pool's own LP fee: what `sellTaxRaw` and `buyTaxRaw` report. */
function taxOf({ token, hook, fee, isDynamic }: Loss): number {
  const counted = isDynamic && fee > remarkableFee ? fee : 0;
  if (hook === 0 && counted === 0) return token;
  return rounded(1 - (1 - token) * (1 - hook) * (1 - counted));
}

/** A share below 1e-6 is rounding, not a tax. */
function rounded(share: number): number {
  const value = Math.round(share * 1e9) / 1e9;
  return Math.abs(value) < 1e-6 ? 0 : value;
}
