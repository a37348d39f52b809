/**
 * `missing`: the chain has nothing to compare. `differs`: the chain has another value than our data. `unread`: the node
 * returned no result, which is never reported as `missing`.
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

/** Creates a finding about one subject. */
export type CreateFinding = (check: string, verdict: Verdict, note?: string) => Finding;

export function findingFor(subject: string): CreateFinding {
  return (check, verdict, note = '') => ({ subject, check, verdict, note });
}
