import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineExceededError } from '../../errors.ts';
import { Memory } from '../../memory.ts';

/** Answers that several processes share. No method throws: on a failure each process reads for itself. */
export interface AnswerShare {
  /** The shared answer if it is still valid. */
  load(queryKey: string): Promise<SharedText | undefined>;
  /** Takes the lease to read, for at most `forMs`. False while another process has it. */
  beginReading(queryKey: string, forMs: number): Promise<boolean>;
  /** Returns the shared answer: this one, or an earlier one that is still valid. */
  save(queryKey: string, made: SharedText): Promise<SharedText>;
  /** Releases the lease without an answer. */
  giveUp(queryKey: string): Promise<void>;
}

export interface SharedText {
  answer: string;
  validUntil: number;
}

/** Length of the lease: longer than the deadline of an answer, so that only a crashed reader exceeds it. */
const readingMs = 12_000;
const pollMs = 30;

const bigintMark = '$bigint';

/** JSON with bigints. */
export const toText = (answer: unknown): string =>
  JSON.stringify(answer, (_key, value) => (typeof value === 'bigint' ? { [bigintMark]: value.toString() } : value));

export const fromText = <T>(text: string): T =>
  JSON.parse(text, (_key, value) =>
    value !== null && typeof value === 'object' && typeof value[bigintMark] === 'string'
      ? BigInt(value[bigintMark])
      : value,
  ) as T;

/** Returns the shared answer. One process reads it; if that read fails, another process reads. */
export async function answerTogether<T extends { validUntil: number }>(
  share: AnswerShare,
  queryKey: string,
  make: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const found = await share.load(queryKey);
    if (found) return fromText<T>(found.answer);
    if (await share.beginReading(queryKey, readingMs)) break;
    await sleep(pollMs);
  }
  try {
    const made = await make();
    const shared = await share.save(queryKey, { answer: toText(made), validUntil: made.validUntil });
    return fromText<T>(shared.answer);
  } catch (error) {
    await share.giveUp(queryKey);
    throw error;
  }
}

/** Valid answers and running reads: concurrent callers of one query share one read. */
export interface AnswerCache<T extends { validUntil: number }> {
  /**
   * Aborting `signal` throws its reason to this caller only; the read continues for the others and for the cache.
   * @throws what `make` throws
   */
  get(key: string, make: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Whether `get` would return a valid answer, or join a running read. */
  has(key: string): boolean;
}

/** Cache hit, coalesced with a running read, or miss. */
export type LookupResult = 'hit' | 'coalesced' | 'miss';

interface Entry<T> {
  answer: Promise<T>;
  isRunning: boolean;
}

/**
 * Bounded; evicts the least recently used entry. A failed read is not cached.
 * @param share answers of other processes
 * @param name prefix of this cache's keys in `share`
 */
export function createAnswerCache<T extends { validUntil: number }>(
  now: () => number,
  {
    limit = 5_000,
    share,
    name = '',
    onLookup,
  }: { limit?: number; share?: AnswerShare | undefined; name?: string; onLookup?: (result: LookupResult) => void } = {},
): AnswerCache<T> {
  const entries = new Memory<string, Entry<T>>({ maxEntries: limit, now });

  /** The valid entry, or a new one with a read that `make` starts. */
  function findOrMake(key: string, make: () => Promise<T>): { entry: Entry<T>; coalesced: boolean } {
    const known = entries.get(key);
    if (known) {
      onLookup?.(known.isRunning ? 'coalesced' : 'hit');
      return { entry: known, coalesced: known.isRunning };
    }
    onLookup?.('miss');
    const answer = share ? answerTogether(share, `${name}|${key}`, make) : make();
    // Other callers join a running read, however long it takes.
    const entry = { answer, isRunning: true };
    entries.set(key, entry);
    entry.answer.then(
      ({ validUntil }) => {
        entry.isRunning = false;
        if (entries.get(key) === entry) entries.set(key, entry, validUntil - now());
      },
      () => {
        if (entries.get(key) === entry) entries.forget(key);
      },
    );
    return { entry, coalesced: false };
  }

  return {
    has: (key) => entries.get(key) !== undefined,
    async get(key, make, signal) {
      signal?.throwIfAborted();
      const { entry, coalesced } = findOrMake(key, make);
      try {
        return await orAborted(entry.answer, signal);
      } catch (error) {
        // The deadline was that of the first caller. A later one has time left, so it retries once.
        if (!coalesced || !(error instanceof DeadlineExceededError)) throw error;
        return orAborted(findOrMake(key, make).entry.answer, signal);
      }
    },
  };
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
