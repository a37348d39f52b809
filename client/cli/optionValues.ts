import { readAmount } from '../readAmount/index.ts';
import { idForm } from './pendingStore.ts';
import { UsageError } from './usageError.ts';

/** The value of a lone --resume. */
export const latest = 'latest';

/** The amount of --size or --usd as the service takes it. @throws {UsageError} */
export function toAmount(text: string | undefined, option: 'size' | 'usd'): string | undefined {
  if (text === undefined) return undefined;
  const read = readAmount(text);
  if ('amount' in read) return read.amount;
  throw new UsageError(`--${option} must be an amount, got ${text.slice(0, 20)}. ${read.problem}`);
}

/** @throws {UsageError} */
export function toUsd(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (text.trim() === '' || !Number.isFinite(usd) || usd < 0)
    throw new UsageError(`--max-usd must be 0 or more US dollars, e.g. 0.10, got ${text.slice(0, 20)}.`);
  return usd;
}

/** @throws {UsageError} */
export function toSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds <= 0)
    throw new UsageError(`--max-validity must be a whole number of seconds above 0, got ${text.slice(0, 20)}.`);
  return seconds;
}

/** The id of a pending payment, or `latest`. @throws {UsageError} */
export function toResume(text: string | undefined): string | undefined {
  if (text === undefined || text === latest || idForm.test(text)) return text;
  throw new UsageError(`--resume takes an id that \`truefill pending\` shows, or none, got ${text.slice(0, 20)}.`);
}
