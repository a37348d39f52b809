import { setTimeout as sleep } from 'node:timers/promises';

/** Answers that several processes share. Never throws: without it each process reads for itself. */
export interface AnswerShare {
  /** A valid answer. */
  load(question: string): Promise<SharedText | undefined>;
  /** Whether the caller gets the right to read. False while another process has it: until it saves, gives up, or `forMs` pass. */
  beginReading(question: string, forMs: number): Promise<boolean>;
  /** Returns the shared answer: this one, or an earlier one that is still valid. */
  save(question: string, made: SharedText): Promise<SharedText>;
  giveUp(question: string): Promise<void>;
}

export interface SharedText {
  answer: string;
  validUntil: number;
}

/** Longer than the deadline of an answer: a reader that takes longer counts as dead. */
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

/** The answer of all processes: read by one of them, or by another one if that fails. */
export async function answerTogether<T extends { validUntil: number }>(
  share: AnswerShare,
  question: string,
  make: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const found = await share.load(question);
    if (found) return fromText<T>(found.answer);
    if (await share.beginReading(question, readingMs)) break;
    await sleep(pollMs);
  }
  try {
    const made = await make();
    const stands = await share.save(question, { answer: toText(made), validUntil: made.validUntil });
    return fromText<T>(stands.answer);
  } catch (error) {
    await share.giveUp(question);
    throw error;
  }
}
