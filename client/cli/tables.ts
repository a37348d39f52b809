import { sanitize } from './sanitize.ts';

/** An aligned, sanitized list of names and values. Rows with an undefined value are omitted. */
export function table(rows: readonly (readonly [name: string, value: string | undefined])[]): string {
  const shown = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [[sanitize(name), sanitize(value)] as const],
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/** A rounded number; null means that it was not measured. */
export function figure(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined) return 'not measured';
  const digits = Math.abs(value) >= 1_000 ? 0 : Math.abs(value) >= 1 ? 4 : 8;
  return `${value.toLocaleString('en-US', { maximumFractionDigits: digits })}${unit}`;
}

/** Null means unknown. */
export function answer(value: boolean | null): string {
  return value === null ? 'not known' : value ? 'yes' : 'no';
}
