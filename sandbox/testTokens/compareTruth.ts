import type { Measured } from './measureTestToken.ts';
import type { TestToken, TradeOutcome } from './testTokenTypes.ts';

/** A measured tax that is near enough to the truth counts as it. */
export function withinTolerance(measured: Measured, { truth, pools: [pool] }: TestToken): Partial<Measured> {
  const { canBuyTenfold: _, sellTaxNextBlock, ...rest } = measured;
  const near = (seen: number | null, expected: number | null) =>
    seen !== null && expected !== null && Math.abs(seen - expected) <= (truth.taxTolerance ?? 0.001) ? expected : seen;
  // A hook's share is the venue's, and a false balance shows no tax.
  const isTaxUnknown = truth.balanceIsFalse || (pool?.key && BigInt(pool.key.hooks) !== 0n);
  const taxes = {
    buyTax: isTaxUnknown ? truth.buyTax : near(rest.buyTax, truth.buyTax),
    sellTax: isTaxUnknown ? truth.sellTax : near(rest.sellTax, truth.sellTax),
    transferTax: truth.balanceIsFalse ? truth.transferTax : near(rest.transferTax, truth.transferTax),
  };
  if (truth.sellTaxNextBlock === undefined) return { ...rest, ...taxes };
  return { ...rest, ...taxes, sellTaxNextBlock: near(sellTaxNextBlock, truth.sellTaxNextBlock) };
}

/** The truths that were measured. */
export function expectation({ truth }: TestToken, measured: Measured): Partial<Measured> {
  const names = Object.keys(measured) as (keyof Measured)[];
  return Object.fromEntries(
    names
      .filter(
        (name) => name !== 'canBuyTenfold' && (name !== 'sellTaxNextBlock' || truth.sellTaxNextBlock !== undefined),
      )
      .map((name) => [name, truth[name as keyof typeof truth]]),
  );
}

/** The outcome that the measured trades mean. */
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
