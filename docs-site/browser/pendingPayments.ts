import type { PendingCall } from '../../client/index.ts';
import { storedItems } from './storedItems.ts';

// Payments that were signed in this browser and whose answer has not arrived. All tabs share them, and they outlive the
// tab, so that the same signature can be sent again instead of a second one.

const payments = storedItems<PendingCall>('truefill.pendingPayment.');

/** The oldest first. If the browser blocks storage, none is pending: `keepPending` fails before anything is sent. */
export function readPending(): PendingCall[] {
  moveEarlier();
  return payments.read().map(({ value }) => value);
}

/** Earlier releases stored a list under this key, first for each tab and later for all tabs. */
const earlierKey = 'truefill.pendingPayments';

/** Stores the payments of an earlier release as this one does. */
function moveEarlier(): void {
  for (const storage of [() => localStorage, () => sessionStorage]) {
    try {
      const text = storage().getItem(earlierKey);
      if (text === null) continue;
      const stored = payments.read().map(({ value }) => value.paymentSignature);
      const earlier: unknown = JSON.parse(text);
      const missing = (Array.isArray(earlier) ? earlier : []).filter(
        (each: PendingCall | null) => each?.paymentSignature && !stored.includes(each.paymentSignature),
      );
      for (const pending of missing) payments.add(pending);
      storage().removeItem(earlierKey);
    } catch (error) {
      // Storage is blocked or full, or another program has changed the text.
      if (!(error instanceof DOMException || error instanceof SyntaxError)) throw error;
    }
  }
}

/** @throws {DOMException} the browser stores nothing; the payment must not be sent then */
export const keepPending = (pending: PendingCall): void => payments.add(pending);

export function dropPending({ paymentSignature }: PendingCall): void {
  for (const { key, value } of payments.read()) if (value.paymentSignature === paymentSignature) payments.remove(key);
}

/** Calls back when another tab stores or drops a payment. */
export const watchPending = (onChange: () => void): void => payments.watch(onChange);
