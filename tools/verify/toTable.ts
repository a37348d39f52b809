import { sanitize } from '../../client/cli/index.ts';
import type { Finding, Verdict } from './verifyTypes.ts';

const verdicts: readonly Verdict[] = ['ok', 'missing', 'differs', 'unread'];

/** Findings as an aligned text table, with their count by verdict. Sanitised, as contracts and nodes supply notes. */
export function toTable(findings: readonly Finding[]): string {
  const rows = findings.map(({ verdict, subject, check, note }) =>
    [verdict, subject, check, note].map((cell) => sanitize(cell)),
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const counts = verdicts.map((verdict) => `${findings.filter((each) => each.verdict === verdict).length} ${verdict}`);
  return [...lines, '', counts.join(', ')].join('\n');
}
