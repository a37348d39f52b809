import type { Quote } from '../wire.ts';
import { symbolOf, tokenName } from './findToken.ts';
import { sanitize } from './sanitize.ts';
import { type Paint, plain, severityStyle } from './style.ts';
import { amountOf, figure, table } from './tables.ts';

/** Formats a quote for the terminal with rounded numbers; the JSON is exact. */
export function showQuote(quote: Quote, paint: Paint = plain): string {
  const { route, decimals, chain } = quote;
  const name = (address: string) => tokenName(chain, address);
  const [sold, bought] = [name(quote.tokenIn), name(quote.tokenOut)];
  const head = hasRoute(quote)
    ? `${amountOf(BigInt(quote.amountIn), decimals.in)} ${sold} → ${amountOf(BigInt(quote.amountOut), decimals.out)} ${bought}`
    : noRouteMessage(quote);
  const legs = route.legs.flatMap(({ venue, feePips, pool, tokenIn, tokenOut, shareBps }) => [
    sanitize(
      `  ${venue} (${feePips / 10_000} %)  ${shareBps < 10_000 ? `${shareBps / 100} % of ` : ''}${name(tokenIn)} → ${name(tokenOut)}`,
    ),
    sanitize(`    pool ${pool}`),
  ]);
  return [
    paint('bold', sanitize(head)) + sanitize(`  on ${chain}, block ${quote.blockNumber}`),
    '',
    table(
      [
        ['sell', labelled(chain, quote.tokenIn)],
        ['buy', labelled(chain, quote.tokenOut)],
        ['price', hasRoute(quote) ? `${figure(quote.executablePrice)} ${bought} for 1 ${sold}` : 'none'],
        ['spot', figure(quote.spotPrice)],
        ['impact', figure(quote.priceImpactBps, ' bps')],
        ['worst case', `${figure(quote.worstCaseSlippageBps, ' bps')} if an identical order executes first`],
        ['depth', `${figure(quote.depthAtSize)} ${sold} before the price falls another 1 %`],
        ['confidence', `${quote.confidence}, ${quote.venuesConsidered} venues read`],
        ['valid until', new Date(quote.validUntil).toISOString()],
      ],
      paint,
    ),
    ...(legs.length > 0 ? ['', paint('dim', 'route'), ...legs] : []),
    ...flagLines(quote, paint),
  ].join('\n');
}

export function hasRoute({ amountOut }: Quote): boolean {
  return amountOut !== '0';
}

/** The service's NO_ROUTE message. */
function noRouteMessage({ flags }: Quote): string {
  return flags.find(({ code }) => code === 'NO_ROUTE')?.message ?? 'No venue fills this size.';
}

/** The symbol of a listed token and its address; only the address for any other token. */
function labelled(chain: Quote['chain'], address: string): string {
  const symbol = symbolOf(chain, address);
  return symbol === undefined ? address : `${symbol}  ${address}`;
}

function flagLines({ flags }: Quote, paint: Paint): string[] {
  if (flags.length === 0) return [];
  return [
    '',
    paint('dim', 'flags'),
    ...flags.map(
      ({ severity, code, message }) =>
        `  ${paint(severityStyle(severity), sanitize(severity.padEnd(8)))} ${sanitize(`${code}: ${message}`)}`,
    ),
  ];
}
