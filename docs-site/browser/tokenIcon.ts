import { svg } from './dom.ts';

/** Colours of well-known tokens, by symbol; other tokens get one from their address. */
const known = new Map(
  Object.entries({
    ETH: '#4a5a8a',
    WETH: '#4a5a8a',
    POL: '#6b3fc9',
    WPOL: '#6b3fc9',
    USDC: '#1f65b5',
    'USDC.e': '#1f65b5',
    USDbC: '#1f65b5',
    USDT: '#1a7d62',
    USDT0: '#1a7d62',
    DAI: '#a36a06',
    WBTC: '#b35a12',
    cbBTC: '#b35a12',
    ARB: '#1b5f8f',
  }),
);

/**
 * A disc with the symbol's first letters, drawn here: no token list's images are loaded.
 * @param isListed whether a list names this contract on its chain; any other contract may claim the symbol of a well-known
 * token, and does not get its colour
 */
export function tokenIcon(
  symbol: string,
  address: string,
  { isListed, size = 22 }: { isListed: boolean; size?: number },
): SVGElement {
  const hue = Number.parseInt(address.slice(2, 8), 16) % 360;
  const letters = symbol.replace(/[^\p{L}\p{N}]/gu, '').slice(0, symbol.length > 4 ? 2 : 3) || '?';
  return svg(
    'svg',
    { class: 'token-icon', width: size, height: size, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('circle', {
      cx: 12,
      cy: 12,
      r: 12,
      fill: (isListed && known.get(symbol)) || `hsl(${Number.isNaN(hue) ? 0 : hue} 42% 36%)`,
    }),
    svg(
      'text',
      { x: 12, y: 15, 'text-anchor': 'middle', 'font-size': letters.length > 2 ? 7.5 : 9.5, fill: '#fff' },
      letters.toUpperCase(),
    ),
  );
}
