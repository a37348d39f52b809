import {
  type Absence,
  type Axis,
  type Composed,
  derived,
  measured,
  measuredPower,
  noCode,
  none,
  type Unattributed,
  unread,
  whyNoPower,
} from '../attribution.ts';
import { groupsOf } from '../bytecode/fingerprints.ts';
import type { Outcome } from '../pretradeTypes.ts';
import { roundTrip } from '../simulation/planScenarios.ts';
import { oneCall } from '../simulation/roundTrip.ts';
import { realRouter } from '../simulation/routers.ts';
import type { Moment, ScenarioResult } from '../simulation/simulationTypes.ts';
import { smallTrade } from '../simulation/waiting.ts';
import { changingPurchases, higherTax, taxBySize, taxOfVariant } from './changingTaxes.ts';
import {
  anyTrue,
  balanceAt,
  buyLossOf,
  buyOf,
  buyTaxOf,
  firstTax,
  isSale,
  type Ran,
  rebased,
  receiverSale,
  reportsFalseBalance,
  roundTripPctOf,
  routesOf,
  saleAt,
  salesOf,
  saleTaxAt,
  sellLossOf,
  sellTaxOf,
  transferGapOf,
  transferTaxOf,
} from './tradeSteps.ts';
import { describeObservations } from './tradeWords.ts';
import type { TransferFinding } from './transferFinding.ts';

/** Evaluates the scenarios of `planScenarios`. Pure. A simulation that did not run is no evidence about the token. */
export function weighTransferability(results: readonly ScenarioResult[]): TransferFinding {
  const ran = new Map(
    results.filter((result): result is Ran => result.status === 'ran').map((result) => [result.name, result]),
  );
  const gaps = results.flatMap((result) => (result.status === 'unread' ? [`${result.name}: ${result.reason}`] : []));
  const [small, size] = [ran.get('small'), ran.get('size')];
  const canBuy = anyTrue([buyOf(small), buyOf(size)]);

  const next = saleAt(small, 'next');
  const later = saleAt(small, 'later');
  const day = saleAt(small, 'day');
  const whole = saleAt(size, 'later');
  const sizeBuy = buyOf(size);
  const sizeParts = salesOf(size, 'later').slice(1).concat(salesOf(size, 'day'));
  // A refusal is a delay only if the same wallet sells later; a flat fee blocks small sales at any time.
  const sellsLater = anyTrue([later, day]) === true;
  const sizeTax = saleTaxAt(size, 'later');
  const sellTaxes = { next: saleTaxAt(small, 'next'), later: saleTaxAt(small, 'later'), day: saleTaxAt(small, 'day') };
  const balanceIsFalse = reportsFalseBalance(small) || reportsFalseBalance(size);
  const finding: TransferFinding = {
    outcome: 'unknown',
    canBuy,
    // Sales from 60 blocks after the purchase decide: earlier refusals are reported as delays.
    canSell:
      canBuy === true
        ? (anyTrue([later, day, whole, ...sizeParts.map(isSale)]) ?? (routedSale(ran.get(realRouter)) || null))
        : null,
    canSellNextBlock: unlessBaseless(next, sellsLater),
    canSellSameBlock: unlessBaseless(saleAt(ran.get('same-block'), 'purchase'), next === true || sellsLater),
    receiverCanSell: anyTrue([
      unlessBaseless(receiverSale(small), later === true),
      // It sells a hundredth of the size: no evidence if such small sales are refused to a buyer too.
      unlessBaseless(
        receiverSale(ran.get('gift')),
        later === true && anyTrue([whole, ...salesOf(size, 'later').map(isSale)]) === true,
      ),
    ]),
    contractWalletCanSell: sellsAsWell(ran.get('contract-wallet'), small),
    highGasPriceCanSell: sellsAsWell(ran.get('high-gas-price'), small),
    largerTipCanSell: unlessBaseless(saleAt(ran.get('gift'), 'later'), later === true && whole === true),
    wholeSizeCanSell:
      sizeBuy === false ? false : limitedBySize(whole, [later, ...salesOf(size, 'later').slice(1).map(isSale)]),
    limitBinds: limitOf(ran, canBuy === true && sellsLater),
    sellTaxes,
    taxBySize: taxBySize(sizeTax, sellTaxes.later, sellTaxes.next),
    usualGasTax: higherTax(saleTaxAt(ran.get('gift'), 'later'), [sizeTax, sellTaxes.later]),
    contractWalletTax: taxOfVariant(ran.get('contract-wallet'), small),
    highGasPriceTax: taxOfVariant(ran.get('high-gas-price'), small),
    buyTax: firstTax([size, small], buyTaxOf),
    sellTax: firstTax([size, small], sellTaxOf),
    buyLoss: firstTax([size, small], buyLossOf),
    sellLoss: firstTax([size, small], sellLossOf),
    roundTripPct: roundTripPctOf(ran.get(roundTrip)),
    buyTaxes: changingPurchases(ran.get(roundTrip)),
    laterBlockTax: null,
    // With a false balanceOf() the received amount is unknown.
    transferTax: balanceIsFalse ? null : firstTax([ran.get('gift'), small], transferTaxOf),
    rebasing: rebased(small),
    balanceIsFalse,
    simulationDetection: detectionOf(ran.get(realRouter), next, [later, day]),
    perPool: poolTradesOf(ran),
    transferGap: transferGapOf([ran.get('gift'), small]),
    observations: [],
    gaps,
  };
  const once = ran.get(oneCall);
  if (once && !small && !size) applyOneCall(finding, once);
  else if (results.some(isNeededAndUnread)) dropSale(finding);
  if (finding.simulationDetection) applyRealRouter(finding, finding.simulationDetection);
  finding.outcome = outcomeOf(finding);
  // If sales work only in the block after the purchase, the tax of that sale applies to no later one.
  if (finding.outcome === 'sale-blocked' && finding.canSellNextBlock === true) finding.sellTax = null;
  finding.observations = describeObservations(finding, ran);
  if (once && !small && !size) finding.observations.push(oneCallNote);
  return finding;
}

/** Results of the trades in further pools. */
const poolTradesOf = (ran: ReadonlyMap<string, Ran>): TransferFinding['perPool'] =>
  [...ran.values()]
    .filter(({ name }) => name.startsWith('pool '))
    .map((result) => ({
      pool: result.name.slice(5),
      buyTax: buyTaxOf(result),
      sellTax: sellTaxOf(result),
      canSell: saleAt(result, 'later'),
    }));

/**
 * Applies the trades of one call, if the node has no eth_simulateV1. A trade that works there works. A trade that fails, or
 * is taxed, may be so only for contract wallets or in the block of the purchase, so it stays unknown.
 */
function applyOneCall(finding: TransferFinding, once: Ran): void {
  const sold = saleAt(once, 'purchase') === true ? true : null;
  finding.canBuy = buyOf(once) === true ? true : null;
  finding.canSell = sold;
  finding.canSellSameBlock = sold;
  finding.contractWalletCanSell = sold;
  const [buyTax, sellTax] = [buyTaxOf(once), sellTaxOf(once)];
  finding.buyTax = buyTax !== null && buyTax <= 0 ? buyTax : null;
  finding.roundTripPct = sold ? roundTripPctOf(once, 'purchase') : null;
  finding.sellTax = sold && sellTax !== null && sellTax <= 0 ? sellTax : null;
}

/**
 * How the real router's trade contradicts the stand-in's sales of the same size; null if it does not. After a sale in the
 * next block a refused one proves nothing: some tokens limit how often a wallet sells.
 */
function detectionOf(
  plain: Ran | undefined,
  next: boolean | null,
  sales: readonly (boolean | null)[],
): TransferFinding['simulationDetection'] {
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

/** Without the small trade and that of the real router, a token that detects simulations looks tradable. */
const isNeededAndUnread = ({ name, status }: ScenarioResult) =>
  status === 'unread' && (name === smallTrade || name === realRouter);

/** Results of sales that prove nothing. */
const noSale = { sellTax: null, sellLoss: null, roundTripPct: null } satisfies Partial<TransferFinding>;

/** A sale that is proven impossible stays so. */
function dropSale(finding: TransferFinding): void {
  if (finding.canSell === true) Object.assign(finding, { canSell: null, ...noSale });
}

/** Replaces results of the stand-in, because the trade through the real router contradicts them. */
function applyRealRouter(finding: TransferFinding, detection: 'refuses-trades' | 'refuses-simulations'): void {
  finding.canSell = detection === 'refuses-simulations' ? null : false;
  if (detection === 'refuses-trades') finding.canSellNextBlock = null;
  Object.assign(finding, noSale);
}

const oneCallNote =
  'The node does not support eth_simulateV1: one call bought and sold at once, so failures in it prove nothing.';

/** The most severe outcome that applies. */
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

/** Whether the token refused the purchase. A pool without enough liquidity does not count as a limit of the token. */
function isRefusedByToken(ran: Ran | undefined): boolean {
  const result = ran?.steps.find(({ step }) => step.action === 'buy')?.result;
  return result?.ok === false && ['pool-refused', 'hook-refused'].includes(result.refusal.stage);
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

function whyNoTax({ inputs: { reading }, trade }: Composed, { liquidityCoverage }: Unattributed): Absence {
  if (!reading.exit.hasCode) return noCode;
  const plans = reading.plans.length;
  const { venuesUnread, unmeasuredVenueNames } = liquidityCoverage;
  if (plans === 0 && venuesUnread) return unread('a venue could not be read');
  if (plans === 0 && unmeasuredVenueNames.length > 0)
    return unread(`no trade can be simulated on ${unmeasuredVenueNames.join(', ')}`);
  if (plans === 0) return none('there is no pool to trade in');
  if (trade.canBuy === false) return none('a simulated purchase is refused, so no tax applies');
  if (trade.outcome === 'sale-blocked')
    return none('every simulated sale at the usual tip is refused, so no tax applies');
  return unread(trade.gaps[0] ?? 'no trade could be simulated');
}

const whyNoRoundTrip: typeof whyNoTax = (composed, answer) => {
  const { inputs, trade } = composed;
  if (inputs.reading.exit.hasCode && inputs.reading.plans.length > 0 && trade.canBuy !== false)
    return unread(trade.gaps[0] ?? 'no round trip could be simulated');
  return whyNoTax(composed, answer);
};

function whyNoGate({ inputs: { reading }, trade, b20 }: Composed): Absence {
  if (!reading.exit.hasCode) return noCode;
  if (!b20 && !groupsOf(reading.code)) return unread('the bytecode could not be analysed completely');
  if (reading.plans.length > 0 && trade.canBuy === null) return unread(trade.gaps[0] ?? 'no trade could be simulated');
  return none('simulated trades are refused, and no gate of the token reads closed');
}

const tax = { source: measured, whyNull: whyNoTax };

export const transferabilityAxis: Axis<'transferability'> = {
  signal: derived('risk_profile.transferability'),
  whyNoValue: whyNoTax,
  fields: {
    sellTaxRaw: tax,
    buyTaxRaw: tax,
    roundTripPct: { source: measured, whyNull: whyNoRoundTrip },
    hasBlacklist: { source: measuredPower('block-holder'), whyNull: whyNoPower('blacklist') },
    hasMaxLimit: { source: measured, whyNull: whyNoTax },
    tradingEnabled: { source: measured, whyNull: whyNoGate },
    outcome: { source: measured },
    fingerprints: { source: measured },
  },
};
