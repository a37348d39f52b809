import { el, svg } from './dom.ts';
import { nameKey } from './tokens.ts';

/** URLs of icons by chain and address, set by the build. A contract that copies a symbol has another address. */
declare const TOKEN_ICONS: Readonly<Record<string, string>>;

/**
 * The icon of a well-known token; for other tokens a disc with the symbol's first letters, in a colour from the address.
 * @param symbol empty if the token has none
 */
export function tokenIcon(chain: string, address: string, symbol: string, size = 22): Element {
  const frame = { class: 'token-icon', width: size, height: size };
  const src = TOKEN_ICONS[nameKey(chain, address)];
  if (src !== undefined) return el('img', { ...frame, src, alt: '' });
  const hue = Number.parseInt(address.slice(2, 8), 16) % 360;
  const letters = symbol.replace(/[^\p{L}\p{N}]/gu, '').slice(0, symbol.length > 4 ? 2 : 3) || '?';
  return svg(
    'svg',
    { ...frame, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('circle', { cx: 12, cy: 12, r: 12, fill: `hsl(${Number.isNaN(hue) ? 0 : hue} 42% 36%)` }),
    svg(
      'text',
      { x: 12, y: 15, 'text-anchor': 'middle', 'font-size': letters.length > 2 ? 7.5 : 9.5, fill: '#fff' },
      letters.toUpperCase(),
    ),
  );
}
