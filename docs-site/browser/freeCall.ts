// Whether this tab has seen the wallet use its free call. Only the service knows for certain, and it does not reveal
// that to anyone without the wallet's signature.

const storageKey = 'truefill.freeCallUsed';

export function freeCallIsUsed(): boolean {
  try {
    return sessionStorage.getItem(storageKey) !== null;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

export function noteFreeCall(): void {
  sessionStorage.setItem(storageKey, 'yes');
}
