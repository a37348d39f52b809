import { changingTaxes } from '../axes/changingTaxes.ts';
import type { TransferFinding } from '../axes/transferFinding.ts';
import type { Power, PowerEffect } from '../pretradePorts.ts';
import type { Outcome, Pattern } from '../pretradeTypes.ts';
import type { CodeFacts } from './codeMemory.ts';
import { type FunctionGroup, groupOfFunction } from './signatures.ts';

/** Published words for the effects of owner powers. */
export const powerWords: Record<PowerEffect, Pattern> = {
  'block-holder': 'owner-can-block-a-holder',
  'block-all-sales': 'owner-can-block-all-sales',
  'limit-trades': 'owner-can-limit-trades',
  'raise-tax': 'owner-can-raise-the-tax',
  mint: 'owner-can-mint',
  seize: 'owner-can-seize-balances',
};

/** Groups of the known functions in the code. Undefined if no public function was found, so that none can be ruled out. */
export function groupsOf(code: CodeFacts | undefined): Set<FunctionGroup> | undefined {
  if (!code?.functions?.length) return undefined;
  const groups = code.functions.map(({ selector }) => groupOfFunction(selector));
  return new Set(groups.filter((group) => group !== undefined));
}

/**
 * Restrictions, taxes, powers and proxy kind of the token, as words of `outcome` and `patternMeanings` joined by `, `.
 * `none` if there are none; `unknown` if the code was not read, or neither it nor trades show anything.
 */
export function fingerprintsOf(
  code: CodeFacts | undefined,
  trade: TransferFinding,
  powers: readonly Power[],
  paused: boolean,
  /** Words of a B20 token, from its roles and policies. */
  b20Words: readonly Pattern[] = [],
): string {
  const words: (Pattern | Outcome)[] = [];
  const add = (word: Pattern | Outcome, when: boolean) => {
    if (when && !words.includes(word)) words.push(word);
  };
  add(trade.outcome, trade.outcome !== 'tradable' && trade.outcome !== 'unknown');
  add('contract-wallets-blocked', trade.canSell === true && trade.contractWalletCanSell === false);
  add('contract-wallets-taxed', trade.contractWalletTax !== null);
  add('same-block-sale-blocked', trade.canSell === true && trade.canSellSameBlock === false);
  add('next-block-sale-blocked', trade.canSell === true && trade.canSellNextBlock === false);
  add(
    'gas-price-dependent',
    trade.canSell === true && (trade.highGasPriceCanSell === false || trade.highGasPriceTax !== null),
  );
  add('receiver-cannot-sell', trade.canSell === true && trade.receiverCanSell === false);
  add('size-limited', trade.canSell === true && trade.wholeSizeCanSell === false);
  add('purchase-tax', (trade.buyTax ?? 0) > 0);
  add('sale-tax', (trade.sellTax ?? 0) > 0);
  add('sale-tax-changes', changingTaxes(trade).length > 0);
  add('transfer-tax', (trade.transferTax ?? 0) > 0);
  add('lies-to-simulations', trade.simulationDetection === 'refuses-trades');
  add('refuses-simulations', trade.simulationDetection === 'refuses-simulations');
  add('rebasing', trade.rebasing);
  add(
    'tax-differs-by-pool',
    trade.perPool.some(({ sellTax }) => differs(sellTax, trade.sellTax)),
  );
  add('paused', paused);
  const groups = groupsOf(code);
  if (code?.proxy.status === 'proxy') words.push(`proxy-${code.proxy.kind}`);
  for (const group of ['blacklist', 'limit', 'mint', 'pause', 'tax'] as const)
    add(`${group}-function`, groups?.has(group) ?? false);
  for (const { effect } of powers) add(powerWords[effect], true);
  for (const word of b20Words) add(word, true);
  if (words.length > 0) return words.join(', ');
  return code && (groups || trade.outcome !== 'unknown') ? 'none' : 'unknown';
}

/** A larger difference than rounding and reflection can cause. */
const differs = (a: number | null, b: number | null) => a !== null && b !== null && Math.abs(a - b) > 0.006;
