import { ChainUnavailableError, DeadlineExceededError } from '../errors.ts';

/** `instead` if the read fails: a failure after the verdict must not lose the verdict. */
export async function orIfUnread<T, U>(work: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ChainUnavailableError || error instanceof DeadlineExceededError) return instead;
    throw error;
  }
}
