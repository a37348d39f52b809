import type { PendingCall } from '../../client/index.ts';
import { storedItems } from './storedItems.ts';

// Payments that were signed in this browser and whose answer has not arrived. All tabs share them, and they outlive the
// tab, so that the same signature can be sent again instead of a second one.

const payments = storedItems<PendingCall>('truefill.pendingPayment.');

/** The oldest first. If the browser blocks storage, none is pending: `keepPending` fails before anything is sent. */
export const readPending = (): PendingCall[] => payments.read().map(({ value }) => value);

/** @throws {DOMException} the browser stores nothing; the payment must not be sent then */
export const keepPending = (pending: PendingCall): void => payments.add(pending);

export function dropPending({ paymentSignature }: PendingCall): void {
  for (const { key, value } of payments.read()) if (value.paymentSignature === paymentSignature) payments.remove(key);
}

/** Calls back when another tab stores or drops a payment. */
export const watchPending = (onChange: () => void): void => payments.watch(onChange);
