import { parseArgs } from 'node:util';
import { ConfigError } from '../config/index.ts';
import type { TimeRange } from '../storage/index.ts';

export interface ReportOptions extends TimeRange {
  format: 'text' | 'csv' | 'json';
  reconcile: boolean;
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

/** @returns milliseconds since the epoch; undefined for an impossible or other time */
function toTime(text: string): number | undefined {
  const at = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` moves 30 February to March.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text.slice(0, 10) ? undefined : at;
}

function readTime(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const at = toTime(text);
  if (at === undefined)
    throw new ConfigError([`--${name} must be a UTC date or time, 2026-11-29 or 2026-11-29T08:00Z, got ${text}`]);
  return at;
}

/**
 * Options of `report`. Without `--from`: from the first payment; without `--to`: until now.
 * @throws {ConfigError} an unknown option, an invalid time, or an empty range
 */
export function readReportOptions(args: readonly string[], now: number): ReportOptions {
  let values: { from?: string; to?: string; csv?: boolean; json?: boolean; reconcile?: boolean };
  try {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      csv: { type: 'boolean' },
      json: { type: 'boolean' },
      reconcile: { type: 'boolean' },
    } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new ConfigError([`report: ${error instanceof Error ? error.message.split('. ')[0] : String(error)}`]);
  }
  const { csv = false, json = false, reconcile = false } = values;
  if (csv && (json || reconcile)) throw new ConfigError(['--csv cannot be combined with --json or --reconcile']);
  const range = { from: readTime('from', values.from, 0), to: readTime('to', values.to, now) };
  if (range.from >= range.to)
    throw new ConfigError([
      `--from must be before --to, got ${new Date(range.from).toISOString()} and ${new Date(range.to).toISOString()}`,
    ]);
  return { ...range, format: csv ? 'csv' : json ? 'json' : 'text', reconcile };
}
