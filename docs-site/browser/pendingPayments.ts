import type { PendingCall } from '../../client/index.ts';

// Payments that were signed in this browser and whose answer has not arrived. All tabs share them, and they outlive the
// tab, so that the same signature can be sent again instead of a second one.

const storageKey = 'truefill.pendingPayments';

export function readPending(): PendingCall[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]');
  } catch (error) {
    // If the browser blocks storage, no payment is pending: `keepPending` fails before anything is sent.
    if (error instanceof DOMException) return [];
    throw error;
  }
}

/** @throws {DOMException} the browser stores nothing; the payment must not be sent then */
export function keepPending(pending: PendingCall): void {
  write([...readPending(), pending]);
}

export function dropPending({ paymentSignature }: PendingCall): void {
  write(readPending().filter((kept) => kept.paymentSignature !== paymentSignature));
}

/** Calls back when another tab stores or drops a payment. */
export function watchPending(onChange: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === storageKey) onChange();
  });
}

function write(pending: readonly PendingCall[]): void {
  localStorage.setItem(storageKey, JSON.stringify(pending));
}
