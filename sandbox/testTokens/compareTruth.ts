import type { Measured } from './measureTestToken.ts';
import type { TestToken, TradeOutcome } from './testTokenTypes.ts';

/** Replaces each measured tax within the tolerance with the expected one, so that tests can compare results exactly. */
export function snapTaxes(measured: Measured, { truth, pools: [pool] }: TestToken): Partial<Measured> {
  const { canBuyTenfold: _, sellTaxNextBlock, ...rest } = measured;
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
  if (truth.sellTaxNextBlock === undefined) return { ...rest, ...taxes };
  return { ...rest, ...taxes, sellTaxNextBlock: near(sellTaxNextBlock, truth.sellTaxNextBlock) };
}

/** The expected value of each measured fact. */
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
