import { sentence } from '../context/sentence.ts';
import type { Outcome, Signal } from '../pretradeTypes.ts';
import { smallTrade } from '../simulation/planScenarios.ts';
import { realRouter } from '../simulation/realRouter.ts';
import { oneCall } from '../simulation/roundTrip.ts';
import type { Moment, Refusal, ScenarioResult, Step, StepResult } from '../simulation/simulationTypes.ts';

/** What an ordinary wallet met, from simulations alone. `null`: not measured. */
export interface TransferFinding {
  outcome: Outcome;
  canBuy: boolean | null;
  canSell: boolean | null;
  canSellNextBlock: boolean | null;
  canSellSameBlock: boolean | null;
  canSellNextDay: boolean | null;
  receiverCanSell: boolean | null;
  contractWalletCanSell: boolean | null;
  highGasPriceCanSell: boolean | null;
  wholeSizeCanSell: boolean | null;
  /** A larger purchase or sale is refused by the token where a smaller one works. */
  limitBinds: boolean | null;
  /** Sale taxes in the block after the purchase, 60 blocks later and a day later. */
  sellTaxes: { next: TimedTax | null; later: TimedTax | null; day: TimedTax | null };
  /** Fractions, signed. */
  buyTax: number | null;
  sellTax: number | null;
  transferTax: number | null;
  /** The balance moved between two blocks without a transfer of its own. */
  rebasing: boolean;
  /**
   * The same small trade through the unmodified router had the opposite result: the token detects simulations. The
   * result of the unmodified router is used.
   */
  seesThrough: 'refuses-trades' | 'refuses-simulations' | null;
  /** balanceOf shows far more than the pool sent. */
  balanceLies: boolean;
  /** Why no plain transfer could be measured; null if one was. */
  transferGap: string | null;
  perPool: { pool: string; buyTax: number | null; sellTax: number | null; canSell: boolean | null }[];
  /** Plain words on what was seen, most important first. */
  observations: string[];
  /** Why nothing, or not all, could be measured. */
  gaps: string[];
}

interface TimedTax {
  tax: number;
  /** Base units. */
  lost: bigint;
}

type Ran = Extract<ScenarioResult, { status: 'ran' }>;

/** Reads the scenarios of `planScenarios`. Pure. A simulation that did not run says nothing about the token. */
export function weighTransferability(results: readonly ScenarioResult[]): TransferFinding {
  const ran = new Map(
    results.filter((result): result is Ran => result.status === 'ran').map((result) => [result.name, result]),
  );
  const gaps = results.flatMap((result) => (result.status === 'unread' ? [`${result.name}: ${result.reason}`] : []));
  const [small, size] = [ran.get('small'), ran.get('size')];
  const bought = [buyOf(small), buyOf(size)];
  const canBuy = bought.some((buy) => buy === true) ? true : bought.some((buy) => buy === false) ? false : null;

  const next = saleAt(small, 'next');
  const later = saleAt(small, 'later');
  const day = saleAt(small, 'day');
  const whole = saleAt(size, 'later');
  const sizeBuy = buyOf(size);
  const sizeParts = salesOf(size, 'later').slice(1).concat(salesOf(size, 'day'));
  // A refusal is a delay only if the same wallet sells later; a flat fee blocks small sales at any time.
  const sellsLater = anyTrue([later, day]) === true;
  const finding: TransferFinding = {
    outcome: 'unknown',
    canBuy,
    // What counts is whether a holder gets out once the first minutes are over.
    canSell:
      canBuy === true
        ? (anyTrue([later, day, whole, ...sizeParts.map(isSale)]) ?? (routedSale(ran.get(realRouter)) || null))
        : null,
    canSellNextBlock: unlessBaseless(next, sellsLater),
    canSellSameBlock: unlessBaseless(saleAt(ran.get('same-block'), 'purchase'), next === true || sellsLater),
    canSellNextDay: day,
    receiverCanSell: anyTrue([
      unlessBaseless(receiverSale(small), later === true),
      unlessBaseless(receiverSale(ran.get('gift')), anyTrue([whole, ...salesOf(size, 'later').map(isSale)]) === true),
    ]),
    contractWalletCanSell: sellsAsWell(ran.get('contract-wallet'), small),
    highGasPriceCanSell: sellsAsWell(ran.get('high-gas-price'), small),
    wholeSizeCanSell:
      sizeBuy === false ? false : limitedBySize(whole, [later, ...salesOf(size, 'later').slice(1).map(isSale)]),
    limitBinds: limitOf(ran, canBuy === true && sellsLater),
    sellTaxes: { next: saleTaxAt(small, 'next'), later: saleTaxAt(small, 'later'), day: saleTaxAt(small, 'day') },
    buyTax: firstTax([size, small], buyTaxOf),
    sellTax: firstTax([size, small], sellTaxOf),
    // Of a balance that lies nothing can be said about what arrives.
    transferTax: lies(small) || lies(size) ? null : firstTax([ran.get('gift'), small], transferTaxOf),
    rebasing: rebased(small),
    balanceLies: lies(small) || lies(size),
    seesThrough: contradicted(ran.get(realRouter), next, [later, day]),
    perPool: [...ran.values()]
      .filter(({ name }) => name.startsWith('pool '))
      .map((result) => ({
        pool: result.name.slice(5),
        buyTax: buyTaxOf(result),
        sellTax: sellTaxOf(result),
        canSell: saleAt(result, 'later'),
      })),
    transferGap: transferGapOf([ran.get('gift'), small]),
    observations: [],
    gaps,
  };
  const once = ran.get(oneCall);
  if (once && !small && !size) believeOneCall(finding, once);
  if (finding.seesThrough) believeRealRouter(finding, finding.seesThrough);
  finding.outcome = outcomeOf(finding);
  // A sale that worked once and never again has no tax that anyone will pay.
  if (finding.outcome === 'sale-blocked' && finding.canSellNextBlock === true) finding.sellTax = null;
  finding.observations = observe(finding, ran);
  if (once && !small && !size) finding.observations.push(oneCallNote);
  return finding;
}

/**
 * One call stands for all trades, where the RPC has no simulations: what worked in it works. What failed, or was taxed,
 * may be so for wallets that are contracts or in the block of the purchase only, and stays unknown.
 */
function believeOneCall(finding: TransferFinding, once: Ran): void {
  const sold = saleAt(once, 'purchase') === true ? true : null;
  finding.canBuy = buyOf(once) === true ? true : null;
  finding.canSell = sold;
  finding.canSellSameBlock = sold;
  finding.contractWalletCanSell = sold;
  const [buyTax, sellTax] = [buyTaxOf(once), sellTaxOf(once)];
  finding.buyTax = buyTax !== null && buyTax <= 0 ? buyTax : null;
  finding.sellTax = sold && sellTax !== null && sellTax <= 0 ? sellTax : null;
}

/**
 * How the real router's trade contradicts the stand-in's sales of the same size; null if it does not. After a sale in the
 * next block a refused one proves nothing: some tokens limit how often a wallet sells.
 */
function contradicted(
  plain: Ran | undefined,
  next: boolean | null,
  sales: readonly (boolean | null)[],
): TransferFinding['seesThrough'] {
  const [sold, sells] = [routedSale(plain), anyTrue(sales)];
  if (sold === false && sells === true) return 'refuses-trades';
  return sold === true && sells === false && next !== true ? 'refuses-simulations' : null;
}

/** Whether a sale through the real router works; null if nothing was bought there. */
function routedSale(plain: Ran | undefined): boolean | null {
  const held = plain && balanceAt(plain, 'purchase');
  const [bought] = routesOf(plain, 'purchase');
  if (held === undefined || bought?.result.ok !== true) return null;
  // Every token rejects a sale of more than the wallet holds.
  const saleOf = (at: Moment) => routesOf(plain, at).find(({ step }) => step.sells <= held)?.result.ok ?? null;
  return anyTrue([saleOf('later'), saleOf('day')]);
}

/** Taxes were measured by the trades that are not believed. */
function believeRealRouter(finding: TransferFinding, seesThrough: 'refuses-trades' | 'refuses-simulations'): void {
  finding.canSell = seesThrough === 'refuses-simulations' ? null : false;
  if (seesThrough === 'refuses-trades') finding.canSellNextBlock = null;
  finding.sellTax = null;
}

const oneCallNote =
  'The node does not support eth_simulateV1: one call bought and sold at once, so failures in it prove nothing.';

/** One word, the gravest that fits. */
function outcomeOf(finding: TransferFinding): Outcome {
  const { canBuy, canSell, canSellNextBlock, wholeSizeCanSell, canSellSameBlock, contractWalletCanSell } = finding;
  if (canBuy === null) return 'unknown';
  if (!canBuy) return 'purchase-blocked';
  if (canSell === false) return 'sale-blocked';
  if (canSell === null) return 'unknown';
  if (canSellNextBlock === false) return 'sale-blocked-for-a-time';
  if (wholeSizeCanSell === false) return 'size-limited';
  if (canSellSameBlock === false) return 'sale-blocked-same-block-only';
  if (contractWalletCanSell === false) return 'contract-wallets-only-blocked';
  return 'tradable';
}

/** A refused sale of the whole shows a size limit only if a part sells at the same moment. */
function limitedBySize(whole: boolean | null, parts: readonly (boolean | null)[]): boolean | null {
  return whole === false && !parts.includes(true) ? null : whole;
}

/** Whether a purchase or a sale of ten times the size meets a limit that a small one does not. */
function limitOf(ran: ReadonlyMap<string, Ran>, smallWorks: boolean): boolean | null {
  const [large, size, small] = [ran.get('large'), ran.get('size'), ran.get(smallTrade)];
  if (buyOf(small) === true && [size, large].some(isRefusedByToken)) return true;
  const [whole, part] = buyOf(large) === true ? salesOf(large, 'later') : [];
  if (whole && isSale(whole)) return false;
  // A part that is refused as well shows another cause than the amount.
  return whole && part && isSale(part) && smallWorks ? true : null;
}

/** The token refuses the purchase: a pool without enough liquidity is no limit of the token. */
function isRefusedByToken(ran: Ran | undefined): boolean {
  const result = ran?.steps.find(({ step }) => step.what === 'buy')?.result;
  return result?.ok === false && result.refusal.stage === 'pool-refused';
}

function saleTaxAt(ran: Ran | undefined, at: Moment): TimedTax | null {
  const [sale] = salesOf(ran, at);
  const tax = sale?.ok && sale.what === 'sell' ? missing(sale.arrived, sale.sent) : null;
  return tax !== null && sale?.ok && sale.what === 'sell' ? { tax, lost: sale.sent - sale.arrived } : null;
}

const stepsAt = (ran: Ran | undefined, at: Moment) => (ran?.steps ?? []).filter(({ step }) => step.at === at);

/** Purchase worked and brought something; our own failure to pay says nothing. */
function buyOf(ran: Ran | undefined): boolean | null {
  const result = ran?.steps.find(({ step }) => step.what === 'buy')?.result;
  if (!result) return null;
  if (result.ok) return result.what === 'buy' && result.received > 0n;
  return isOurs(result.refusal) ? null : false;
}

const isOurs = ({ stage }: Refusal) => stage === 'payment-failed' || stage === 'worth-nothing';

/** Sales of the trader that had something to sell. */
function salesOf(ran: Ran | undefined, at: Moment, who: 'trader' | 'receiver' = 'trader'): StepResult[] {
  return stepsAt(ran, at)
    .filter(({ step }) => step.what === 'sell' && step.who === who)
    .map(({ result }) => result)
    .filter((result) => !(result.ok && result.what === 'sell' && result.sent === 0n));
}

function isSale(result: StepResult): boolean | null {
  if (result.ok) return result.what === 'sell' && result.received > 0n;
  // Some routers accept an odd return value: whether a sale works depends on the router.
  return ['worth-nothing', 'pull-returned-other'].includes(result.refusal.stage) ? null : false;
}

/** The first sale at a moment; null when nothing was bought or there was nothing to sell. */
function saleAt(ran: Ran | undefined, at: Moment): boolean | null {
  if (buyOf(ran) !== true) return null;
  const [first] = salesOf(ran, at);
  return first ? isSale(first) : null;
}

function receiverSale(ran: Ran | undefined): boolean | null {
  const [first] = salesOf(ran, 'later', 'receiver');
  return first ? isSale(first) : null;
}

/**
 * Whether another kind of wallet trades as the ordinary one does. Compared in the first of these blocks in which the
 * ordinary wallet sells; null if it cannot trade either, because the kind of wallet is then not the cause.
 */
function sellsAsWell(variant: Ran | undefined, ordinary: Ran | undefined): boolean | null {
  const at = (['later', 'day', 'next'] as const).find((moment) => saleAt(ordinary, moment) === true);
  if (!at) return null;
  const bought = buyOf(variant);
  return bought === true ? saleAt(variant, at) : bought;
}

/** A refusal counts only beside a comparable sale that works. */
const unlessBaseless = (sale: boolean | null, comparableWorks: boolean) =>
  sale === false && !comparableWorks ? null : sale;

function anyTrue(values: readonly (boolean | null)[]): boolean | null {
  if (values.some((value) => value === true)) return true;
  return values.some((value) => value === false) ? false : null;
}

function firstTax(runs: readonly (Ran | undefined)[], taxOf: (ran: Ran) => number | null): number | null {
  for (const run of runs) {
    const tax = run ? taxOf(run) : null;
    if (tax !== null) return tax;
  }
  return null;
}

/** 1 − received / what the pool says it sent. */
function buyTaxOf(ran: Ran): number | null {
  const result = ran.steps.find(({ step }) => step.what === 'buy')?.result;
  if (!result?.ok || result.what !== 'buy') return null;
  // What the pool sent can be sold again, so it arrived, whatever balanceOf says.
  return lies(ran) ? 0 : missing(result.received, result.nominal);
}

function lies(ran: Ran | undefined): boolean {
  const result = ran?.steps.find(({ step }) => step.what === 'buy')?.result;
  return result?.ok === true && result.what === 'buy' && result.received * 2n > result.nominal * 3n;
}

/** 1 − what the pool found / what the wallet sent; also from a sale that the pool refused for arriving short. */
function sellTaxOf(ran: Ran): number | null {
  const sales = (['later', 'next', 'day', 'purchase'] as const).flatMap((at) => salesOf(ran, at));
  for (const sale of sales) if (sale.ok && sale.what === 'sell') return missing(sale.arrived, sale.sent);
  for (const sale of sales) {
    if (!sale.ok && sale.refusal.stage === 'arrived-short') return missing(sale.refusal.arrived, sale.refusal.sent);
  }
  return null;
}

type Refused = Extract<StepResult, { ok: false }>;

/** A plain transfer that was refused although the wallet held enough; undefined if it worked or proves nothing. */
function refusedTransfer(ran: Ran | undefined): Refused | undefined {
  const moved = transferOf(ran);
  return moved && !moved.result.ok && transferGap(ran) === null ? moved.result : undefined;
}

const measuresNoTransfer = (ran: Ran | undefined) => !transferOf(ran) || transferGap(ran) !== null;

/** Why no transfer could be measured in any of these runs; null if one was, or none was simulated. */
function transferGapOf(runs: readonly (Ran | undefined)[]): string | null {
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

function transferTaxOf(ran: Ran | undefined): number | null {
  const moved = transferOf(ran);
  const landed = stepsAt(ran, 'next').find(({ step }) => step.what === 'balance' && step.who === 'receiver');
  if (!moved?.result.ok || moved.step.amount === 0n) return null;
  if (!landed?.result.ok || landed.result.what !== 'balance') return null;
  return missing(landed.result.value, moved.step.amount);
}

/** The trader's balance at its last reading in a block. */
function balanceAt(ran: Ran | undefined, at: Moment): bigint | undefined {
  const entries = stepsAt(ran, at).filter(({ step }) => step.what === 'balance' && step.who === 'trader');
  const result = entries.at(-1)?.result;
  return result?.ok && result.what === 'balance' ? result.value : undefined;
}

function routesOf(ran: Ran | undefined, at: Moment) {
  return stepsAt(ran, at).flatMap(({ step, result }) => (step.what === 'route' ? [{ step, result }] : []));
}

function rebased(ran: Ran | undefined): boolean {
  const [before, after] = [balanceAt(ran, 'next'), balanceAt(ran, 'later')];
  return before !== undefined && after !== undefined && before !== after;
}

function missing(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null;
  // Nine digits: a unit lost to rounding is no tax.
  const share = Number(((whole - part) * 1_000_000_000n) / whole) / 1e9;
  return Math.abs(share) < 1e-6 ? 0 : share;
}

function observe(finding: TransferFinding, ran: ReadonlyMap<string, Ran>): string[] {
  const seen: string[] = [];
  const small = ran.get('small');
  if (finding.seesThrough === 'refuses-trades')
    seen.push(
      'A sale through the real router is refused, but works if the router’s code is replaced: the token detects simulations.',
    );
  if (finding.seesThrough === 'refuses-simulations')
    seen.push(
      'A sale through the real router works, but is refused if the router’s code is replaced: the token may detect simulations.',
    );
  const why = (name: string) => {
    const failed = ran
      .get(name)
      ?.steps.find(({ step, result }) => !result.ok && (step.what === 'sell' || step.what === 'buy'));
    return failed && !failed.result.ok ? ` (${describe(failed.result.refusal, failed.step)})` : '';
  };
  if (finding.outcome === 'purchase-blocked')
    seen.push(`A simulated purchase by an ordinary wallet is refused${why('small')}.`);
  if (finding.outcome === 'sale-blocked' && !finding.seesThrough) {
    const once = finding.canSellNextBlock ? ' It works in the block after the purchase only.' : '';
    seen.push(
      `A simulated sale by an ordinary wallet is refused 60 blocks and one day after its purchase${why('small')}.${once}`,
    );
  }
  seen.push(...describeTaxes(finding));
  const [later, day] = [saleAt(small, 'later'), saleAt(small, 'day')];
  if (finding.canSell && finding.canSellNextBlock === false)
    seen.push(
      later === true
        ? 'A sale in the block after the purchase is refused, a later one works.'
        : 'Sales are refused in the block after the purchase and 60 blocks later; one a day later works.',
    );
  if (finding.canSell && saleAt(small, 'next') !== true && later === false && day === false)
    seen.push(`Small sales are refused at every time tried, larger ones work${why('small')}.`);
  if (finding.canSell && finding.canSellSameBlock === false)
    seen.push('A sale in the block of the purchase is refused.');
  if (finding.canSell && finding.wholeSizeCanSell === false) {
    seen.push(
      finding.canBuy && buyOf(ran.get('size')) === false
        ? `The requested size cannot be bought at once, a hundredth of it can${why('size')}.`
        : `The requested size cannot be sold at once, a part of it can${why('size')}.`,
    );
  }
  if (finding.canSell && finding.contractWalletCanSell === false)
    seen.push('A wallet that is a contract cannot make a trade that an ordinary wallet can make.');
  if (finding.canSell && finding.highGasPriceCanSell === false)
    seen.push('At a gas price of 500 gwei the same trade is refused.');
  if (finding.canSell && finding.receiverCanSell === false)
    seen.push('A wallet that received the token by transfer cannot sell it.');
  const [gift, smallGift] = [refusedTransfer(ran.get('gift')), refusedTransfer(small)];
  if (gift) seen.push(`A plain transfer is refused (${describe(gift.refusal)}).`);
  // The small wallet sold in the same block, which some tokens allow once.
  else if (smallGift && measuresNoTransfer(ran.get('gift')) && finding.canSellSameBlock !== false)
    seen.push(`A small transfer is refused (${describe(smallGift.refusal)}).`);
  if (small?.steps.some(({ result }) => !result.ok && result.refusal.stage === 'pull-returned-other'))
    seen.push(
      'transferFrom() returns a number other than 0 and 1: some routers take it for true, others refuse the sale.',
    );
  if (finding.balanceLies)
    seen.push('balanceOf() returns far more than the pool sent; taxes are measured by what the pool sent.');
  if (finding.rebasing) seen.push('Balances change between blocks without a transfer.');
  return seen;
}

/** Beyond what rounding and reflection explain. */
const taxStep = 0.01;

/** Taxes that depend on how long a buyer waits: launch taxes, and taxes on early sellers. */
function describeTaxes({ sellTaxes: { next, later, day } }: TransferFinding): string[] {
  const known = [
    { sale: next, when: 'in the block after the purchase' },
    { sale: later, when: 'about 60 blocks later' },
    { sale: day, when: 'a day later' },
  ].flatMap(({ sale, when }) => (sale ? [{ ...sale, when }] : []));
  const taxes = known.map(({ tax }) => tax);
  if (known.length < 2 || Math.max(...taxes) - Math.min(...taxes) <= taxStep) return [];
  // The sales differ in size: a flat fee is another part of each, and the same amount.
  const [first] = known;
  if (first && known.every(({ lost }) => lost * 100n > first.lost * 98n && lost * 98n < first.lost * 100n)) return [];
  const list = known.map(({ tax, when }) => `${(tax * 100).toFixed(1)} % ${when}`);
  return [`The sale tax depends on the time since the purchase: ${list.join(', ')}.`];
}

function describe({ stage, text }: Refusal, step?: Step): string {
  const words: Record<Refusal['stage'], string> = {
    'pull-reverted': 'the token refuses the transfer to the pool',
    'pull-returned-false': 'transferFrom returns false',
    'pull-returned-other': 'transferFrom returns neither true nor false',
    'pool-refused':
      step?.what === 'buy' ? 'the token refuses the transfer out of the pool' : 'the pool refuses the swap',
    'payment-failed': 'the payment could not be made',
    'balance-unreadable': 'balanceOf cannot be read',
    'arrived-short': 'less arrived at the pool than was sent',
    'worth-nothing': 'the amount is worth less than one base unit',
    reverted: 'it reverts',
    'out-of-gas': 'it uses more gas than the simulation allows',
  };
  return text ? `${words[stage]}: "${text}"` : words[stage];
}

/** F-FOT: the larger tax; a sale that is proven impossible takes all. */
export function feeSignal(finding: TransferFinding): Signal {
  const base = { unit: 'fraction', cachedAgeSec: null };
  if (finding.outcome === 'sale-blocked') {
    return { ...base, severity: 'high', value: 1, reason: 'No simulated sale by an ordinary wallet works.' };
  }
  const taxes = [finding.buyTax, finding.sellTax].filter((tax) => tax !== null);
  if (finding.sellTax === null || taxes.length === 0) {
    const reason = finding.gaps[0] ?? 'no sale could be simulated';
    return { ...base, severity: 'unknown', value: null, reason: sentence(`Transfer tax is unavailable: ${reason}`) };
  }
  const value = Math.max(...taxes);
  const severity = value > 0.15 ? 'high' : value > 0.05 ? 'medium' : value > 0.005 ? 'low' : 'none';
  return { ...base, severity, value, reason: 'The larger of purchase and sale tax, measured by simulated trades.' };
}
