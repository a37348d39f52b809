import type { ClientEvmSigner } from '@x402/evm';

/** How a call is paid: `none` shows the 402, `browser` uses the browser's wallet, `demo` the sandbox's demo wallet. */
export type PayWith = 'none' | 'browser' | 'demo';

interface Provider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

declare global {
  var ethereum: Provider | undefined;
}

/** A wallet failure with a message for the user of the page. */
class WalletError extends Error {
  override name = 'WalletError';
}

/**
 * The browser's wallet (EIP-1193), for EIP-712 signatures. Switches it to the payment's chain first, because wallets
 * reject typed data for another chain.
 * @throws {WalletError} if there is no wallet, account or signature. Errors of the wallet (EIP-1193), for example a
 * rejected signature, pass through unchanged.
 */
export async function connectBrowserWallet(): Promise<ClientEvmSigner> {
  const provider = globalThis.ethereum;
  if (!provider) throw new WalletError('This browser has no wallet. Install one, or pay from code.');
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const address = Array.isArray(accounts) ? accounts[0] : undefined;
  if (!isAddress(address)) throw new WalletError('The wallet returned no account.');
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
        throw new WalletError('The wallet returned no signature.');
      return signature as `0x${string}`;
    },
  };
}

/** The funded wallet that `GET /sandbox` publishes. @throws {WalletError} */
export async function openDemoWallet(): Promise<ClientEvmSigner> {
  const answer = await fetch('/sandbox');
  if (answer.status === 404) throw new WalletError('Only the sandbox has a demo wallet.');
  if (!answer.ok) throw new WalletError(`GET /sandbox returned ${answer.status}. Try again.`);
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
