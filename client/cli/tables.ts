import { formatUnits } from 'viem';
import { sanitize } from './sanitize.ts';
import { type Paint, plain, type StyleName } from './style.ts';

/** Formats names and values in two aligned columns, sanitized. Rows with an undefined value are omitted. */
export function table(
  rows: readonly (readonly [name: string, value: string | undefined])[],
  paint: Paint = plain,
  styleOf: (value: string) => StyleName | undefined = () => undefined,
): string {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [[sanitize(name), sanitize(value)] as const],
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown
    .map(([name, value]) => {
      const style = styleOf(value);
      return `  ${paint('dim', name.padEnd(width))}  ${style ? paint(style, value) : value}`;
    })
    .join('\n');
}

/** Rounds a number for reading; null means that it was not measured. The JSON contains the exact number. */
export function figure(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined) return 'not measured';
  // Basis points, percent and days: smaller digits are noise. Adding 0 turns -0 into 0.
  if (unit !== '') return `${(Math.round(value * 100) / 100 + 0).toLocaleString('en-US')}${unit}`;
  const size = Math.abs(value);
  // Below 1 six significant digits: 0.0000012 must not become 0.
  const rounding = size >= 1 ? { maximumFractionDigits: size >= 1_000 ? 2 : 4 } : { maximumSignificantDigits: 6 };
  return `${value.toLocaleString('en-US', rounding)}${unit}`;
}

/**
 * Converts base units to whole tokens with six digits after the point; below 1 with six significant digits. Further digits
 * are cut off, so the amount is never rounded up.
 */
export function amountOf(units: bigint, decimals: number): string {
  const [whole = '0', fraction = ''] = formatUnits(units, decimals).split('.');
  const zeros = whole === '0' ? /^0*/.exec(fraction)?.[0].length : 0;
  const kept = fraction.slice(0, 6 + (zeros ?? 0)).replace(/0+$/, '');
  return `${BigInt(whole).toLocaleString('en-US')}${kept && '.'}${kept}`;
}

/** Formats a boolean; null means unknown. */
export function answer(value: boolean | null): string {
  return value === null ? 'not known' : value ? 'yes' : 'no';
}
