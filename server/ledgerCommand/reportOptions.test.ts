import { expect, test } from 'vitest';
import { ConfigError } from '../config/index.ts';
import { readReportOptions } from './reportOptions.ts';

const now = Date.parse('2026-11-29T10:00:00Z');

test('reads UTC dates and times; the range ends now by default', () => {
  expect(readReportOptions([], now)).toEqual({ from: 0, to: now, format: 'text', reconcile: false });
  expect(readReportOptions(['--from', '2026-11-01', '--to=2026-11-29T08:00Z', '--json', '--reconcile'], now)).toEqual({
    from: Date.parse('2026-11-01T00:00:00Z'),
    to: Date.parse('2026-11-29T08:00:00Z'),
    format: 'json',
    reconcile: true,
  });
});

test.each([
  [['--from', '29.11.2026'], '--from must be a UTC date or time, 2026-11-29 or 2026-11-29T08:00Z, got 29.11.2026'],
  [['--to', '2026-02-30'], '--to must be a UTC date or time'],
  [['--to', '2026-02-28T10:00+02:00'], '--to must be a UTC date or time'],
  [['--from', '2027-01-01'], '--from must be before --to, got 2027-01-01T00:00:00.000Z and 2026-11-29T10:00:00.000Z'],
  [['--csv', '--json'], '--csv cannot be combined with --json or --reconcile'],
  [['--csv', '--reconcile'], '--csv cannot be combined'],
  [['--since', '2026'], "report: Unknown option '--since'"],
  [['today'], "report: Unexpected argument 'today'"],
])('rejects %j: %s', (args, message) => {
  expect(() => readReportOptions(args, now)).toThrow(ConfigError);
  expect(() => readReportOptions(args, now)).toThrow(message);
});
