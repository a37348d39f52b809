import { setTimeout as sleep } from 'node:timers/promises';

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
