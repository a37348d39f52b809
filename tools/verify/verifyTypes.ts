/**
 * `missing`: nothing is there to compare. `differs`: something is there, and it is not what the data says. `unread`: the
 * node did not answer, so nothing is known; that is never `missing`.
 */
export type Verdict = 'ok' | 'missing' | 'differs' | 'unread';

/** One line of the table. */
export interface Finding {
  /** A venue, token or feed, with its address. */
  subject: string;
  check: string;
  verdict: Verdict;
  note: string;
}

/** Says what it found about one subject, check by check. */
export type Judge = (check: string, verdict: Verdict, note?: string) => Finding;

export function judgeOf(subject: string): Judge {
  return (check, verdict, note = '') => ({ subject, check, verdict, note });
}
