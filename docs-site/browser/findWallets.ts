import { getWallets } from '@wallet-standard/app';
import { el } from './dom.ts';

/** A wallet that speaks EIP-1193. */
export interface Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** A wallet of Solana, by the wallet standard. */
export type StandardWallet = ReturnType<ReturnType<typeof getWallets>['get']>[number];

/** A wallet of this browser, with the name that it announces. */
export type FoundWallet = { name: string } & (
  | { family: 'eip155'; provider: Provider }
  | { family: 'solana'; wallet: StandardWallet }
);

export type EvmWallet = Extract<FoundWallet, { family: 'eip155' }>;

declare global {
  var ethereum: Provider | undefined;
}

const longestName = 40;

/** The EVM wallets that announce themselves (EIP-6963); without any, `window.ethereum`. */
export function findEvmWallets(): EvmWallet[] {
  const found: EvmWallet[] = [];
  const note = (event: Event) => {
    const { info, provider } = (event as CustomEvent<{ info?: { name?: unknown }; provider?: Provider }>).detail ?? {};
    if (provider)
      found.push({ family: 'eip155', name: String(info?.name ?? 'Wallet').slice(0, longestName), provider });
  };
  addEventListener('eip6963:announceProvider', note);
  // Wallets answer this event at once.
  dispatchEvent(new Event('eip6963:requestProvider'));
  removeEventListener('eip6963:announceProvider', note);
  if (found.length > 0) return found;
  return globalThis.ethereum ? [{ family: 'eip155', name: 'Wallet', provider: globalThis.ethereum }] : [];
}

/** The wallets of the wallet standard that sign transactions of Solana's mainnet. */
export function findSolanaWallets(): FoundWallet[] {
  const needed = ['standard:connect', 'solana:signTransaction'];
  return getWallets()
    .get()
    .filter(({ chains, features }) => chains.includes('solana:mainnet') && needed.every((name) => name in features))
    .map((wallet) => ({ family: 'solana', name: wallet.name.slice(0, longestName), wallet }));
}

/**
 * The wallet to use: the only one, or the one that the user chooses.
 * @param question the title of the choice
 * @returns undefined if the user closes the dialog
 */
export async function chooseWallet<Wallet extends FoundWallet>(
  found: readonly Wallet[],
  question: string,
): Promise<Wallet | undefined> {
  if (found.length === 1) return found[0];
  // A wallet that pays on Solana and on EVM chains is in the list twice.
  const isMixed = found.some(({ family }) => family === 'solana') && found.some(({ family }) => family === 'eip155');
  const buttons = found.map(({ name, family }, index) =>
    el(
      'button',
      { value: index },
      name,
      isMixed && el('span', { class: 'under' }, family === 'solana' ? ' on Solana' : ' on EVM chains'),
    ),
  );
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
