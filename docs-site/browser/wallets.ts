import type { ClientEvmSigner } from '@x402/evm';

/** Who pays: nobody (the 402 is shown), the browser's wallet, or, in the sandbox, its demo wallet. */
export type PayWith = 'nobody' | 'browser' | 'demo';

interface Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

declare global {
  var ethereum: Provider | undefined;
}

/** What went wrong in words for the person in front of the page. */
class WalletError extends Error {
  override name = 'WalletError';
}

/**
 * The browser's wallet (EIP-1193), signing EIP-712. It is switched to the chain that is paid on first, because wallets
 * refuse typed data for another one.
 * @throws {WalletError}
 */
export async function connectBrowserWallet(): Promise<ClientEvmSigner> {
  const provider = globalThis.ethereum;
  if (!provider) throw new WalletError('This browser has no wallet. Install one, or pay from code.');
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const address = Array.isArray(accounts) ? accounts[0] : undefined;
  if (!isAddress(address)) throw new WalletError('The wallet gave no account.');
  return {
    address,
    async signTypedData({ domain, types, primaryType, message }) {
      const { chainId } = domain;
      await provider.request({
        method: 'wallet_switchEthereumChain',
        params: [{ chainId: `0x${Number(chainId).toString(16)}` }],
      });
      const typed = { domain, types: { EIP712Domain: domainFields(domain), ...types }, primaryType, message };
      const params = [
        address,
        JSON.stringify(typed, (_key, value) => (typeof value === 'bigint' ? value.toString() : value)),
      ];
      const signature = await provider.request({ method: 'eth_signTypedData_v4', params });
      if (typeof signature !== 'string' || !signature.startsWith('0x'))
        throw new WalletError('The wallet gave no signature.');
      return signature as `0x${string}`;
    },
  };
}

/** The funded wallet that `GET /sandbox` gives away. @throws {WalletError} */
export async function openDemoWallet(): Promise<ClientEvmSigner> {
  const answer = await fetch('/sandbox');
  if (!answer.ok) throw new WalletError('There is a demo wallet in the sandbox only.');
  const { wallets } = (await answer.json()) as { wallets: { role: string; privateKey?: `0x${string}` }[] };
  const wallet = wallets.find(({ role }) => role === 'demo');
  if (!wallet?.privateKey) throw new WalletError('The sandbox has no demo wallet.');
  const { privateKeyToAccount } = await import('./demoAccount.ts');
  const account = privateKeyToAccount(wallet.privateKey);
  return {
    address: account.address,
    signTypedData: (typed) => account.signTypedData(typed as Parameters<typeof account.signTypedData>[0]),
  };
}

const isAddress = (value: unknown): value is `0x${string}` =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);

const fieldTypes = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
};

function domainFields(domain: Record<string, unknown>): { name: string; type: string }[] {
  return Object.entries(fieldTypes).flatMap(([name, type]) => (domain[name] === undefined ? [] : [{ name, type }]));
}
