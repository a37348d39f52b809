import type { Measured } from './measureTestToken.ts';
import type { TestToken, TradeOutcome } from './testTokenTypes.ts';

/** Replaces each measured tax within the tolerance with the expected one, so that tests can compare results exactly. */
export function snapTaxes(measured: Measured, { truth, pools: [pool] }: TestToken): Partial<Measured> {
  const { canBuyTenfold: _, sellTaxNextBlock, contractWalletTax, highGasPriceTax, ...rest } = measured;
  const near = (found: number | null, expected: number | null) =>
    found !== null && expected !== null && Math.abs(found - expected) <= (truth.taxTolerance ?? 0.001)
      ? expected
      : found;
  // A hook's fee is not the token's tax, and a false balance hides the tax.
  const isTaxUnknown = truth.balanceIsFalse || (pool?.key && BigInt(pool.key.hooks) !== 0n);
  const taxes = {
    buyTax: isTaxUnknown ? truth.buyTax : near(rest.buyTax, truth.buyTax),
    sellTax: isTaxUnknown ? truth.sellTax : near(rest.sellTax, truth.sellTax),
    transferTax: truth.balanceIsFalse ? truth.transferTax : near(rest.transferTax, truth.transferTax),
  };
  const optional = Object.entries({ sellTaxNextBlock, contractWalletTax, highGasPriceTax }).flatMap(([name, tax]) => {
    const expected = truth[name as OptionalTax];
    return expected === undefined ? [] : [[name, near(tax, expected)]];
  });
  return { ...rest, ...taxes, ...Object.fromEntries(optional) };
}

/** Taxes that are compared only if the ground truth states them. */
const optionalTaxes = ['sellTaxNextBlock', 'contractWalletTax', 'highGasPriceTax'] as const;
type OptionalTax = (typeof optionalTaxes)[number];

/** The expected value of each measured fact. */
export function expectation({ truth }: TestToken, measured: Measured): Partial<Measured> {
  const names = Object.keys(measured) as (keyof Measured)[];
  return Object.fromEntries(
    names
      .filter((name) => name !== 'canBuyTenfold')
      .filter((name) => !optionalTaxes.some((tax) => tax === name) || truth[name as OptionalTax] !== undefined)
      .map((name) => [name, truth[name as keyof typeof truth]]),
  );
}

/** The outcome that follows from the measured trades. */
export function outcomeOf(measured: Measured): TradeOutcome {
  if (!measured.canBuy) return 'purchase-blocked';
  if (!measured.canSell) return 'sale-blocked';
  if (!measured.canSellNextBlock || !measured.canSellAfter60Blocks) {
    return measured.canSellSmall && !measured.canSellAfter60Blocks ? 'size-limited' : 'sale-blocked-for-a-time';
  }
  if (!measured.canSellSameBlock) return 'sale-blocked-same-block-only';
  if (!measured.contractWalletCanTrade) return 'contract-wallets-only-blocked';
  return measured.canSellWhole ? 'tradable' : 'size-limited';
}
