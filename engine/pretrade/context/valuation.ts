import type { ExitReading } from '../exit/exitTypes.ts';
import type { PretradeQuote, ValuationBlock } from '../pretradeTypes.ts';
import { withoutStop } from './sentence.ts';

const note =
  'Not a market cap: it uses the executable price, which is worse than spot in thin markets, and the supply on this chain only.';

/** Total supply times the executable price of a purchase with USDC at the requested size, in USD. */
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
