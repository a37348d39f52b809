import type { PublishedCheck } from './wire.ts';

/** A pre-trade check as a client sees it: the contract asks to be ready for a verdict that is neither of the two. */
export type PretradeCheck = Omit<PublishedCheck, 'verdict'> & { verdict: 'avoid' | 'clear' | 'unknown' };

/** Whatever is not exactly `avoid` or `clear` is `unknown`: a word from the future is no permission to trade. */
export function toCheck(answer: Record<string, unknown>): PretradeCheck {
  const { verdict } = answer;
  const known = verdict === 'avoid' || verdict === 'clear' ? verdict : 'unknown';
  return { ...answer, verdict: known } as unknown as PretradeCheck;
}
