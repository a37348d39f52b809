import { DatabaseUnavailableError } from '../database/errors.ts';
import type { AnswerShare } from '../ports.ts';
import type { SharedAnswers } from './sharedAnswers.ts';

/**
 * Adapts `SharedAnswers` to the engine's `AnswerShare`. While the database is unavailable, each replica reads the chain
 * itself. Other errors are bugs and are rethrown.
 *
 * @param version part of the key, so that versions of the service do not share answers
 */
export function createAnswerShare(
  answers: SharedAnswers,
  version: string,
  onFault: (error: DatabaseUnavailableError) => void,
): AnswerShare {
  const keyOf = (queryKey: string) => `${version}|${queryKey}`;
  async function whileAvailable<T>(work: Promise<T>, fallback: T): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      onFault(error);
      return fallback;
    }
  }
  return {
    load: (queryKey) => whileAvailable(answers.load(keyOf(queryKey)), undefined),
    beginReading: (queryKey, forMs) => whileAvailable(answers.beginReading(keyOf(queryKey), forMs), true),
    save: (queryKey, made) => whileAvailable(answers.save(keyOf(queryKey), made), made),
    giveUp: (queryKey) => whileAvailable(answers.giveUp(keyOf(queryKey)), undefined),
  };
}
