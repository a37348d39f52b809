import { formatUnits } from 'viem';
import type { Quote } from '../wire.ts';
import { sanitize } from './sanitize.ts';
import { figure, table } from './tables.ts';

/** A quote for the terminal. */
export function showQuote(quote: Quote): string {
  const { route, decimals } = quote;
  const head = hasRoute(quote)
    ? `${formatUnits(BigInt(quote.amountIn), decimals.in)} → ${formatUnits(BigInt(quote.amountOut), decimals.out)}`
    : whyNoRoute(quote);
  const legs = route.legs.flatMap(({ venue, feePips, pool, tokenIn, tokenOut, shareBps }) => [
    sanitize(
      `  ${venue} (${feePips / 10_000} %)  ${shareBps < 10_000 ? `${shareBps / 100} % of ` : ''}${tokenIn} → ${tokenOut}`,
    ),
    sanitize(`    pool ${pool}`),
  ]);
  return [
    sanitize(`${head}  on ${quote.chain}, block ${quote.blockNumber}`),
    '',
    table([
      ['sell', quote.tokenIn],
      ['buy', quote.tokenOut],
      ['price', figure(quote.executablePrice)],
      ['spot', figure(quote.spotPrice)],
      ['impact', figure(quote.priceImpactBps, ' bps')],
      ['worst case', `${figure(quote.worstCaseSlippageBps, ' bps')} if an identical order lands first`],
      ['depth', `${figure(quote.depthAtSize)} of what is sold, before the price falls another 1 %`],
      ['confidence', `${quote.confidence}, ${quote.venuesConsidered} venues read`],
      ['valid until', new Date(quote.validUntil).toISOString()],
    ]),
    ...(legs.length > 0 ? ['', 'route', ...legs] : []),
    ...flagLines(quote),
  ].join('\n');
}

export function hasRoute({ amountOut }: Quote): boolean {
  return amountOut !== '0';
}

/** The service's NO_ROUTE message. */
function whyNoRoute({ flags }: Quote): string {
  return flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size.';
}

function flagLines({ flags }: Quote): string[] {
  if (flags.length === 0) return [];
  return [
    '',
    'flags',
    ...flags.map(({ severity, code, message }) => sanitize(`  ${severity.padEnd(8)} ${code}: ${message}`)),
  ];
}
