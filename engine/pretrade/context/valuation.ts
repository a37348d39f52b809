import type { ExitReading } from '../exit/exitTypes.ts';
import type { PretradeQuote, ValuationBlock } from '../pretradeTypes.ts';
import { withoutStop } from './sentence.ts';

const note =
  'Differs from a market cap by design: the executable price is worse than spot on thin books, and the supply is this chain’s.';

/** Supply at the price that the requested size executes at: USDC in, token out. */
export function describeValuation(
  { totalSupply, decimals }: ExitReading,
  quote: PretradeQuote | null,
  quoteGap: string | null,
): ValuationBlock {
  if (!quote || totalSupply === undefined || decimals === undefined) {
    const missing = quote ? 'totalSupply() cannot be read' : `no executable quote (${withoutStop(quoteGap ?? '')})`;
    return { fdvExecutableUsd: null, basis: null, note: `Not valued: ${missing}. ${note}` };
  }
  const supply = Number(totalSupply) / 10 ** decimals;
  return { fdvExecutableUsd: supply / quote.executablePrice, basis: 'totalSupply / quote.executablePrice', note };
}
