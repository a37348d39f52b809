import { el } from './dom.ts';

/** A wallet that speaks EIP-1193. */
export interface Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** A wallet of this browser, with the name that it announces. */
interface FoundWallet {
  name: string;
  provider: Provider;
}

declare global {
  var ethereum: Provider | undefined;
}

/** The wallets that announce themselves (EIP-6963); without any, `window.ethereum`. */
export function findWallets(): FoundWallet[] {
  const found: FoundWallet[] = [];
  const note = (event: Event) => {
    const { info, provider } = (event as CustomEvent<{ info?: { name?: unknown }; provider?: Provider }>).detail ?? {};
    if (provider) found.push({ name: String(info?.name ?? 'Wallet').slice(0, 40), provider });
  };
  addEventListener('eip6963:announceProvider', note);
  // Wallets answer this event at once.
  dispatchEvent(new Event('eip6963:requestProvider'));
  removeEventListener('eip6963:announceProvider', note);
  if (found.length > 0) return found;
  return globalThis.ethereum ? [{ name: 'Wallet', provider: globalThis.ethereum }] : [];
}

/** Asks the user for one of several wallets; undefined if the user closes the dialog. */
export async function chooseWallet(found: readonly FoundWallet[], question: string): Promise<FoundWallet | undefined> {
  const buttons = found.map(({ name }, index) => el('button', { value: index }, name));
  const dialog = el(
    'dialog',
    { class: 'wallets', 'aria-labelledby': 'wallets-title' },
    el('form', { method: 'dialog' }, el('h2', { id: 'wallets-title' }, question), ...buttons),
  );
  document.body.append(dialog);
  const closed = new Promise((done) => dialog.addEventListener('close', done, { once: true }));
  dialog.showModal();
  await closed;
  dialog.remove();
  return dialog.returnValue === '' ? undefined : found[Number(dialog.returnValue)];
}
