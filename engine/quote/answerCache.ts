import { type AnswerShare, answerTogether } from './answerShare.ts';

/** Answers that still stand, and those being made: one question is read once, however many ask. */
export interface AnswerCache<T extends { validUntil: number }> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

/**
 * Bounded; the least recently asked leave first. A failed read is forgotten at once.
 * @param share of other processes, and what the questions are called there
 */
export function createAnswerCache<T extends { validUntil: number }>(
  now: () => number,
  { limit = 5_000, share, name = '' }: { limit?: number; share?: AnswerShare | undefined; name?: string } = {},
): AnswerCache<T> {
  const entries = new Map<string, { answer: Promise<T>; validUntil: number }>();
  return {
    get(key, make) {
      const known = entries.get(key);
      entries.delete(key);
      if (known && known.validUntil > now()) {
        entries.set(key, known);
        return known.answer;
      }
      const answer = share ? answerTogether(share, `${name}|${key}`, make) : make();
      // While it is being made it stands for everyone who asks.
      const entry = { answer, validUntil: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      answer.then(
        ({ validUntil }) => {
          entry.validUntil = validUntil;
        },
        () => {
          if (entries.get(key) === entry) entries.delete(key);
        },
      );
      for (const oldest of entries.keys()) {
        if (entries.size <= limit) break;
        entries.delete(oldest);
      }
      return answer;
    },
  };
}
