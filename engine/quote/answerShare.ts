import { setTimeout as sleep } from 'node:timers/promises';

/** Where several processes keep answers that they give alike. Nothing of it throws: without it each reads for itself. */
export interface AnswerShare {
  /** One that is still good. */
  load(question: string): Promise<SharedText | undefined>;
  /** Whether the caller is the one to read now; another one is, until it saves or gives up, or until `forMs` have passed. */
  beginReading(question: string, forMs: number): Promise<boolean>;
  /** The answer that stands from now on: this one, or one that was saved before it and is still good. */
  save(question: string, made: SharedText): Promise<SharedText>;
  giveUp(question: string): Promise<void>;
}

export interface SharedText {
  answer: string;
  validUntil: number;
}

/** Longer than one answer may take: then its reader is taken for dead. */
const readingMs = 12_000;
const pollMs = 30;

const bigintMark = '$bigint';

/** JSON in which bigints survive. */
export const toText = (answer: unknown): string =>
  JSON.stringify(answer, (_key, value) => (typeof value === 'bigint' ? { [bigintMark]: value.toString() } : value));

export const fromText = <T>(text: string): T =>
  JSON.parse(text, (_key, value) =>
    value !== null && typeof value === 'object' && typeof value[bigintMark] === 'string'
      ? BigInt(value[bigintMark])
      : value,
  ) as T;

/** The answer that all processes give: read by one of them, by another one when that one fails. */
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
