import type { PendingCall } from '../../client/index.ts';

// Payments that were signed in this tab and whose answer has not arrived. They outlive a reload, so that the same
// signature can be sent again instead of a second one.

const storageKey = 'truefill.pendingPayments';

export function readPending(): PendingCall[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
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

function write(pending: readonly PendingCall[]): void {
  sessionStorage.setItem(storageKey, JSON.stringify(pending));
}
