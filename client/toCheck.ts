import type { PublishedCheck } from './wire.ts';

/** A pretrade check. `unknown` stands for any verdict that this client version does not support. */
export type PretradeCheck = Omit<PublishedCheck, 'verdict'> & { verdict: 'avoid' | 'clear' | 'unknown' };

/** Maps every verdict except `avoid` and `clear` to `unknown`: a new verdict must not permit a trade. */
export function toCheck(answer: Record<string, unknown>): PretradeCheck {
  const { verdict } = answer;
  const known = verdict === 'avoid' || verdict === 'clear' ? verdict : 'unknown';
  return { ...answer, verdict: known } as unknown as PretradeCheck;
}
