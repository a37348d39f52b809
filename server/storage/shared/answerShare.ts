import { DatabaseUnavailableError } from '../database/errors.ts';
import type { AnswerShare } from '../ports.ts';
import type { SharedAnswers } from './sharedAnswers.ts';

/**
 * Shared answers with the engine's interface. While the database is unavailable each replica reads the chain itself; it
 * cannot record payments then anyway.
 *
 * @param version part of the key, so that versions of the service do not share answers
 */
export function createAnswerShare(
  answers: SharedAnswers,
  version: string,
  onFault: (error: DatabaseUnavailableError) => void,
): AnswerShare {
  const nameOf = (question: string) => `${version}|${question}`;
  async function orElse<T>(work: Promise<T>, instead: T): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      onFault(error);
      return instead;
    }
  }
  return {
    load: (question) => orElse(answers.load(nameOf(question)), undefined),
    beginReading: (question, forMs) => orElse(answers.beginReading(nameOf(question), forMs), true),
    save: (question, made) => orElse(answers.save(nameOf(question), made), made),
    giveUp: (question) => orElse(answers.giveUp(nameOf(question)), undefined),
  };
}
