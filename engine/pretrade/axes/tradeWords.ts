import { getAddress } from 'viem';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import type { Refusal, Step } from '../simulation/simulationTypes.ts';
import { aDay, aMinute, changingTaxes, remarkableTax } from './changingTaxes.ts';
import {
  buyOf,
  isSale,
  measuresNoTransfer,
  type Ran,
  refusedTransfer,
  remarkableFee,
  saleAt,
  salesOf,
} from './tradeSteps.ts';
import type { Loss, TransferFinding } from './transferFinding.ts';

/** States that refusals and taxes may depend on a block number that no simulation reaches. */
export function describeBlockCount(finding: TransferFinding, code: CodeFacts | undefined): string | undefined {
  const depends = finding.canBuy === false || finding.canSell === false || changingTaxes(finding).length > 0;
  return depends && code?.readsBlockNumber
    ? 'Transfers read the block number, so the results may differ after more than 128 blocks.'
    : undefined;
}

/** Sentences on the results of the simulated trades, the most important first. */
export function describeObservations(finding: TransferFinding, ran: ReadonlyMap<string, Ran>): string[] {
  const seen: string[] = [];
  const small = ran.get('small');
  if (finding.simulationDetection === 'refuses-trades')
    seen.push(
      'A sale through the real router is refused, but works if the router’s code is replaced: the token detects simulations.',
    );
  if (finding.simulationDetection === 'refuses-simulations')
    seen.push(
      'A sale through the real router works, but is refused if the router’s code is replaced: the token may detect simulations.',
    );
  const why = (name: string) => {
    const failed = ran
      .get(name)
      ?.steps.find(({ step, result }) => !result.ok && (step.action === 'sell' || step.action === 'buy'));
    return failed && !failed.result.ok ? ` (${describe(failed.result.refusal, failed.step)})` : '';
  };
  if (finding.outcome === 'purchase-blocked')
    seen.push(`A simulated purchase by an ordinary wallet is refused${why('small')}.`);
  if (finding.outcome === 'sale-blocked' && !finding.simulationDetection) {
    const once = finding.canSellNextBlock ? ' A sale in the block after the purchase works.' : '';
    seen.push(
      `An ordinary wallet cannot sell: simulated sales ${aMinute} and ${aDay} after its purchase are refused${why('small')}.${once}`,
    );
  }
  if (finding.outcome === 'sale-blocked' && !finding.simulationDetection && finding.largerTipCanSell === true)
    seen.push('A sale with a larger tip than the usual 0.001 gwei works.');
  seen.push(...describeTaxes(finding));
  if (finding.taxBySize) seen.push(describeTaxBySize(finding.taxBySize));
  if (finding.usualGasTax !== null)
    seen.push(
      `A sale of a part of the size, with a larger tip and a gas limit below a million, is taxed at ${percent(finding.usualGasTax)}.`,
    );
  const [later, day] = [saleAt(small, 'later'), saleAt(small, 'day')];
  if (finding.canSell && finding.canSellNextBlock === false)
    seen.push(
      later === true
        ? 'A sale in the block after the purchase is refused; a later one works.'
        : `Sales are refused in the block after the purchase and ${aMinute} later; one ${aDay} later works.`,
    );
  // If only a small part of the larger purchase sells, the limit is a part of the balance, not an amount.
  const sellsMuch =
    salesOf(ran.get('size'), 'later').slice(0, 2).some(isSale) || saleAt(ran.get('size'), 'day') === true;
  if (finding.canSell && saleAt(small, 'next') !== true && later === false && day === false && sellsMuch)
    seen.push(`Small sales are refused at every time tried; larger ones work${why('small')}.`);
  if (finding.canSell && finding.canSellSameBlock === false)
    seen.push('A sale in the block of the purchase is refused.');
  seen.push(...describeLimit(finding, buyOf(ran.get('size')), why('size')));
  if (finding.canSell && finding.contractWalletCanSell === false)
    seen.push('A contract wallet cannot make a trade that an ordinary wallet can make.');
  if (finding.contractWalletTax !== null)
    seen.push(`A trade of a contract wallet is taxed at ${percent(finding.contractWalletTax)}.`);
  if (finding.canSell && finding.highGasPriceCanSell === false)
    seen.push('At a gas price of 200 gwei, a trade that works at the usual gas price is refused.');
  if (finding.highGasPriceTax !== null)
    seen.push(
      `At a gas price of 200 gwei, a trade that works at the usual gas price is taxed at ${percent(finding.highGasPriceTax)}.`,
    );
  if (finding.largerTipCanSell === false) seen.push('A sale with a larger tip than the usual 0.001 gwei is refused.');
  if (finding.canSell && finding.receiverCanSell === false)
    seen.push('A wallet that received the token by transfer cannot sell it.');
  const [gift, smallGift] = [refusedTransfer(ran.get('gift')), refusedTransfer(small)];
  if (gift) seen.push(`A plain transfer is refused (${describe(gift.refusal)}).`);
  // The small wallet also sold in that block, and some tokens allow one transfer a block.
  else if (smallGift && measuresNoTransfer(ran.get('gift')) && finding.canSellSameBlock !== false)
    seen.push(`A small transfer is refused (${describe(smallGift.refusal)}).`);
  if (small?.steps.some(({ result }) => !result.ok && result.refusal.stage === 'pull-returned-other'))
    seen.push(
      'transferFrom() returns a number other than 0 and 1: some routers take it for true, others refuse the sale.',
    );
  if (finding.balanceIsFalse)
    seen.push('balanceOf() returns far more than the pool sent; taxes are measured by what the pool sent.');
  if (finding.rebasing) seen.push('Balances change between blocks without a transfer.');
  return seen;
}

/** A limit of the token on amounts. `sizeBuy`: whether the requested size could be bought. */
function describeLimit(finding: TransferFinding, sizeBuy: boolean | null, why: string): string[] {
  if (!finding.canSell) return [];
  if (finding.wholeSizeCanSell === false) {
    const [trade, part] = finding.canBuy && sizeBuy === false ? ['bought', 'a hundredth'] : ['sold', 'a part'];
    return [`The requested size cannot be ${trade} at once; ${part} of it can${why}.`];
  }
  if (!finding.limitBinds) return [];
  return [
    'A purchase or sale of several times the size is refused, but one of the size works: the token limits amounts.',
  ];
}

const describeTaxBySize = ({ requested, small }: NonNullable<TransferFinding['taxBySize']>): string =>
  `A sale of the requested size is taxed at ${percent(requested)}, one of a small part of it at ${percent(small)}.`;

function describeTaxes(finding: TransferFinding): string[] {
  const toList = (taxes: readonly { tax: number; when: string }[]) =>
    taxes.map(({ tax, when }) => `${percent(tax)} ${when}`).join(', ');
  const [sales, purchases] = [toList(changingTaxes(finding)), toList(finding.buyTaxes)];
  return [
    ...(purchases === '' ? [] : [`The purchase tax of the size changes over time: ${purchases}.`]),
    ...(sales === '' ? [] : [`The sale tax of one wallet changed: ${sales}.`]),
  ];
}

const percent = (tax: number) => `${(tax * 100).toFixed(1)} %`;

function describe({ stage, text }: Refusal, step?: Step): string {
  const words: Record<Refusal['stage'], string> = {
    'pull-reverted': 'the token refuses the transfer to the pool',
    'pull-returned-false': 'transferFrom returns false',
    'pull-returned-other': 'transferFrom returns neither true nor false',
    'pool-refused':
      step?.action === 'buy' ? 'the token refuses the transfer out of the pool' : 'the pool refuses the swap',
    'hook-refused': 'the pool’s hook refuses the swap',
    'payment-failed': 'the payment could not be made',
    'balance-unreadable': 'balanceOf cannot be read',
    'arrived-short': 'less arrived at the pool than was sent',
    'worth-nothing': 'the amount is worth less than one base unit',
    reverted: 'it reverts',
    'over-usual-gas': 'it uses more gas than wallets usually set',
    'out-of-gas': 'it uses more gas than a transaction can have',
  };
  return text ? `${words[stage]}: "${text}"` : words[stage];
}

/** Who takes what of a trade: the token, the pool's hook, or the pool's LP fee. `tax`: the sum that the answer reports. */
export function describeLoss(side: 'sale' | 'purchase', tax: number | null, loss: Loss | null): string[] {
  if (tax === null) return [];
  const { token, hook, fee, isDynamic } = loss ?? { token: tax, hook: 0, fee: 0, isDynamic: false };
  const setBy = isDynamic ? ', which its hook sets' : '';
  return [
    ...(token > remarkableTax ? [`The token takes ${percent(token)} of a ${side} as tax.`] : []),
    ...(hook > remarkableTax ? [`The pool’s hook takes ${percent(hook)} of a ${side}.`] : []),
    ...(fee > remarkableFee ? [`The pool’s LP fee is ${percent(fee)} of a ${side}${setBy}.`] : []),
  ];
}

/** A purchase and its immediate sale that return less than this, in percent, are stated. */
const remarkableReturn = 90;

export function describeRoundTrip({ roundTripPct, canSellNextBlock }: TransferFinding): string | undefined {
  if (roundTripPct === null || roundTripPct >= remarkableReturn || canSellNextBlock === false) return undefined;
  return `A purchase of the size and its sale in the next block return ${roundTripPct.toFixed(1)} % of the price paid.`;
}

type PoolTrade = TransferFinding['perPool'][number];

/** Taxes in the further pools in which trades were simulated, and whether a sale is refused there. */
export const describePools = ({ perPool, canSell }: TransferFinding): string[] =>
  perPool.flatMap((trade) => describePool(trade, canSell) ?? []);

/** Of these sentences, the ones that matter for a trade: a tax, or a refused sale. */
export const describeWorsePools = ({ perPool, canSell }: TransferFinding): string[] =>
  perPool.flatMap((trade) => {
    const tax = Math.max(trade.buyTax ?? 0, trade.sellTax ?? 0);
    return isRefusedOnlyThere(trade, canSell) || tax > remarkableTax ? (describePool(trade, canSell) ?? []) : [];
  });

function describePool(trade: PoolTrade, canSell: boolean | null): string | undefined {
  const { pool, buyTax, sellTax } = trade;
  const isRefused = isRefusedOnlyThere(trade, canSell);
  if (buyTax === null && sellTax === null && !isRefused) return undefined;
  const sale = isRefused ? 'a simulated sale is refused' : `sale tax ${taxWords(sellTax)}`;
  return `In pool ${getAddress(pool)}: purchase tax ${taxWords(buyTax)}, ${sale}.`;
}

const isRefusedOnlyThere = (trade: PoolTrade, canSell: boolean | null) => canSell === true && trade.canSell === false;

const taxWords = (share: number | null) => (share === null ? 'not measured' : `${(share * 100).toFixed(2)} %`);
