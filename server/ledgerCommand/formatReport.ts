import { gasUnknownReasons } from '../payments/index.ts';
import { toUsd } from '../payments/usdc.ts';
import type { DayTotals, TimeRange } from '../storage/index.ts';

const unknownGasReasons = { ...gasUnknownReasons, earlier_version: 'an earlier version recorded the payment' };

const sumOf = (counts: DayTotals['unknownGas']): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** One line of the report. US dollars are exact to a millionth. */
export interface ReportRow extends Omit<DayTotals, 'day' | 'revenue' | 'gasMicroUsd'> {
  /** UTC. */
  day: string;
  revenueUsd: number;
  gasUsd: number;
  /** Revenue minus known gas. RPC providers and other costs are not included. */
  marginUsd: number;
  /** Whether the gas of some payments is not known, so that the margin may be smaller. */
  marginIsUpperBound: boolean;
}

export function toReportRow({ day, revenue, gasMicroUsd, ...counts }: DayTotals): ReportRow {
  return {
    day: new Date(day).toISOString().slice(0, 10),
    ...counts,
    revenueUsd: toUsd(revenue),
    gasUsd: gasMicroUsd / 1_000_000,
    marginUsd: (revenue - gasMicroUsd) / 1_000_000,
    marginIsUpperBound: sumOf(counts.unknownGas) > 0,
  };
}

const csvColumns: Record<string, (row: ReportRow) => string | number> = {
  day: ({ day }) => day,
  product: ({ product }) => product,
  network: ({ network }) => network,
  answered: ({ answered }) => answered,
  redeemed_credits: ({ redeemedCredits }) => redeemedCredits,
  unserved: ({ unserved }) => unserved,
  free_calls: ({ freeCalls }) => freeCalls,
  refused: ({ refused }) => refused,
  unfinished: ({ unfinished }) => unfinished,
  lost: ({ lost }) => lost,
  revenue_usd: ({ revenueUsd }) => revenueUsd.toFixed(6),
  unknown_amounts: ({ unknownAmounts }) => unknownAmounts,
  gas_used: ({ gasUsed }) => gasUsed,
  gas_usd: ({ gasUsd }) => gasUsd.toFixed(6),
  unknown_gas: ({ unknownGas }) => sumOf(unknownGas),
  margin_usd: ({ marginUsd }) => marginUsd.toFixed(6),
};

/** Comma-separated values (RFC 4180), with a heading. */
export function toCsv(rows: readonly ReportRow[]): string {
  const quote = (value: string | number) =>
    /[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : value;
  const lines = rows.map((row) => Object.values(csvColumns).map((column) => quote(column(row))));
  return [Object.keys(csvColumns), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

const textColumns: Record<string, (row: ReportRow) => string | number> = {
  day: ({ day }) => day,
  product: ({ product }) => product,
  network: ({ network }) => network.slice(0, 14),
  answered: ({ answered }) => answered,
  unserved: ({ unserved }) => unserved,
  redeemed: ({ redeemedCredits }) => redeemedCredits,
  free: ({ freeCalls }) => freeCalls,
  refused: ({ refused }) => refused,
  lost: ({ lost }) => lost,
  'revenue USD': ({ revenueUsd }) => revenueUsd.toFixed(2),
  'gas USD': ({ gasUsd }) => gasUsd.toFixed(4),
  'margin USD': ({ marginUsd, marginIsUpperBound }) => (marginIsUpperBound ? '<= ' : '') + marginUsd.toFixed(2),
};

/** Pads cells to columns; text to the left, numbers to the right. */
function toTable(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  const pad = (cell: string, index: number) =>
    index < 3 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0);
  return table.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** What the figures do not contain. */
function notesOf(totals: readonly DayTotals[]): string[] {
  const sum = (value: (row: DayTotals) => number) => totals.reduce((all, row) => all + value(row), 0);
  const unknownAmounts = sum((row) => row.unknownAmounts);
  const unknownGas = (Object.keys(unknownGasReasons) as (keyof typeof unknownGasReasons)[]).flatMap((reason) => {
    const payments = sum((row) => row.unknownGas[reason]);
    return payments > 0 ? [`${payments}: ${unknownGasReasons[reason]}`] : [];
  });
  return [
    'unserved: paid and not answered yet (credits). redeemed: answered after a failure; part of answered.',
    'refused: only what the ledger still contains, for an hour, or 30 days if a transaction was sent.',
    'margin: revenue minus gas. The fees of RPC providers and facilitators are not included.',
    ...(unknownAmounts > 0
      ? [`${unknownAmounts} payments have no recorded amount (an earlier version); the revenue does not contain them.`]
      : []),
    ...(unknownGas.length > 0 ? [`Payments with gas that is not known: ${unknownGas.join('; ')}.`] : []),
  ];
}

const headOf = (totals: readonly DayTotals[], { from, to }: TimeRange) =>
  `Payments from ${from === 0 ? 'the first one' : new Date(from).toISOString()} to ${new Date(to).toISOString()} (UTC)\n${
    totals.length === 0 ? 'There are no payments.\n' : ''
  }`;

/** The report for the terminal, with the sum of all rows. */
export function toText(totals: readonly DayTotals[], range: TimeRange): string {
  if (totals.length === 0) return headOf(totals, range);
  const rows = totals.map(toReportRow);
  const sum = (value: (row: ReportRow) => number) => rows.reduce((all, row) => all + value(row), 0);
  const isUpperBound = rows.some((row) => row.marginIsUpperBound);
  const names = ['answered', 'unserved', 'redeemedCredits', 'freeCalls', 'refused', 'lost'] as const;
  const last = [
    ...['sum', '', ''],
    ...names.map((name) => `${sum((row) => row[name])}`),
    sum(({ revenueUsd }) => revenueUsd).toFixed(2),
    sum(({ gasUsd }) => gasUsd).toFixed(4),
    (isUpperBound ? '<= ' : '') + sum(({ marginUsd }) => marginUsd).toFixed(2),
  ];
  const lines = rows.map((row) => Object.values(textColumns).map((column) => `${column(row)}`));
  const notes = notesOf(totals).map((note) => `  ${note}\n`);
  return `${headOf(totals, range)}\n${toTable([Object.keys(textColumns), ...lines, last])}\n${notes.join('')}`;
}
