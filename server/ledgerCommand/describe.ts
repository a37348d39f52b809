import type { BookEntry, PaymentBook } from '../storage/index.ts';

const time = (ms: number): string => new Date(ms).toISOString();

/** One line for each network and state. */
export function describeCounts(counts: Awaited<ReturnType<PaymentBook['counts']>>): string {
  if (counts.length === 0) return 'There are no payments.\n';
  return counts
    .map(({ network, state, isFree, payments }) => `${network}  ${isFree ? 'free call ' : ''}${state}  ${payments}\n`)
    .join('');
}

/** Several lines for each payment, or `none`. */
export function describeEntries(entries: readonly BookEntry[]): string {
  if (entries.length === 0) return 'none\n';
  return entries
    .map(
      ({ key, payer, paid, route, state, trialGroup, transaction, failures, reason, lostAt, createdAt, updatedAt }) =>
        `${key}\n  ${trialGroup ? 'free call ' : ''}${state}, ${paid} by ${payer} on ${route}\n` +
        `  created ${time(createdAt)}, changed ${time(updatedAt)}\n` +
        `  transaction ${transaction ?? 'none'}${failures > 0 ? `, ${failures} failed answers` : ''}${reason ? ` (${reason})` : ''}\n` +
        `${lostAt === null ? '' : `  lost ${time(lostAt)}: the chain dropped its transaction after it was served\n`}`,
    )
    .join('');
}

/** One line of JSON, with ISO 8601 times. */
export const toLine = ({ createdAt, updatedAt, ...entry }: BookEntry): string =>
  `${JSON.stringify({ ...entry, createdAt: time(createdAt), updatedAt: time(updatedAt) })}\n`;
