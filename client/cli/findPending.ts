import { commandOf, resumeCommand } from './explainPending.ts';
import { describePayment, type PendingStore, type StoredPayment, type UnreadableFile } from './pendingStore.ts';
import type { Lines } from './progressLine.ts';
import { sanitize } from './sanitize.ts';
import { UsageError } from './usageError.ts';

interface Wanted {
  name: 'quote' | 'check';
  /** Only a payment for this request. */
  request: Record<string, string> | undefined;
  /** An id or `latest`. */
  resume: string;
  /** Only a payment to this service. */
  url: string | undefined;
}

/**
 * Finds the payment that `--resume` means.
 * @throws {UsageError} there is none, or it belongs to another command
 */
export function findPending(store: PendingStore, { name, request, resume, url }: Wanted): StoredPayment {
  const { payments: all, unreadable } = store.list();
  const body = request && JSON.stringify(request);
  const found = all.find(
    (payment) =>
      (resume === 'latest' || payment.id === resume) &&
      commandOf(payment) === name &&
      (body === undefined || payment.body === body) &&
      (url === undefined || payment.url === url),
  );
  if (found) return found;
  const named = all.find(({ id }) => id === resume);
  if (named) throw new UsageError(`The payment ${resume} is for another call. Run: ${resumeCommand(named)}.`);
  const wanted =
    resume === 'latest' ? `No payment is pending for this ${name}` : `No pending payment has the id ${resume}`;
  throw new UsageError([`${wanted}. \`truefill pending\` lists all.`, ...unreadable.map(describeUnreadable)].join(' '));
}

const describeUnreadable = ({ file, reason }: UnreadableFile): string =>
  `Cannot read ${file} (${reason}): it may be a payment that was charged and whose answer you can still get. Make it readable for you (chmod 600), and keep it until you have the answer.`;

/**
 * Prints the pending payments, latest first, without their signatures, and to stderr the files that cannot be read.
 * @returns whether all files could be read
 */
export function showPending(store: PendingStore, { stdout, stderr }: { stdout: Lines; stderr: Lines }): boolean {
  const { payments, unreadable } = store.list();
  for (const file of unreadable) stderr.write(`${sanitize(describeUnreadable(file))}\n`);
  for (const payment of payments) {
    const minutes = Math.floor((store.now() - payment.signedAtMs) / 60_000);
    const charge = payment.isDenied ? 'not charged, as the service reports' : 'may have been charged';
    const call = `${payment.id}  ${commandOf(payment)}  ${describePayment(payment)}  ${payment.url}`;
    stdout.write(`${sanitize(`${call}  ${minutes} min ago  ${charge}`)}\n`);
  }
  const isComplete = unreadable.length === 0;
  if (payments.length === 0 && isComplete) stdout.write('No payment is pending.\n');
  return isComplete;
}
