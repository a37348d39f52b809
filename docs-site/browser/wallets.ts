import type { ClientEvmSigner } from '@x402/evm';
import { chooseWallet, findWallets, type Provider } from './findWallets.ts';
import { toWhole } from './numbers.ts';
import { WalletError, walletCode } from './walletErrors.ts';
import { findSizeProblem, readBalance } from './walletReads.ts';

/** How a call is paid: `none` shows the 402, `browser` uses the browser's wallet, `demo` the sandbox's demo wallet. */
export type PayWith = 'none' | 'browser' | 'demo';

/**
 * A wallet of this browser (EIP-1193) and its selected account. The user chooses if there are several wallets.
 * @param question the title of that choice
 * @throws {WalletError} if there is no wallet or account. Errors of the wallet pass through unchanged.
 */
export async function connectWallet(question: string): Promise<{ provider: Provider; address: `0x${string}` }> {
  const found = findWallets();
  if (found.length === 0) throw new WalletError('No wallet was found in this browser. Install one, or use code.');
  const wallet = found.length > 1 ? await chooseWallet(found, question) : found[0];
  if (!wallet) throw new WalletError('No wallet was chosen. Nothing was signed.');
  const { provider } = wallet;
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const address = Array.isArray(accounts) ? accounts[0] : undefined;
  if (!isAddress(address)) throw new WalletError('The wallet returned no account.');
  return { provider, address };
}

/**
 * A wallet of this browser, for EIP-712 signatures. Switches it to the payment's chain first, because wallets reject typed
 * data for another chain, and adds the chain if the wallet lacks it.
 * @param sold the size that the call is for; nothing is signed if the wallet reads that no venue can fill it
 * @throws {WalletError} if there is no wallet, account or signature, or too little USDC. Errors of the wallet (EIP-1193),
 * for example a rejected signature, pass through unchanged.
 */
export async function connectBrowserWallet(sold?: SoldSize): Promise<ClientEvmSigner> {
  const { provider, address } = await connectWallet('Pay with which wallet?');
  const problem = sold && (await findSizeProblem(provider, sold));
  if (problem) throw new WalletError(`${problem} Nothing was signed.`);
  return {
    address,
    async signTypedData({ domain, types, primaryType, message }) {
      const { chainId } = domain;
      await switchChain(provider, Number(chainId));
      await assertFunds(provider, { address, domain, message });
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

/** The size of a quote: whole tokens of one chain. */
export interface SoldSize {
  chainId: number;
  token: string;
  size: string;
}

type TypedData = Parameters<ClientEvmSigner['signTypedData']>[0];

/** @throws {WalletError} the account has less USDC than the payment */
async function assertFunds(
  provider: Provider,
  { address, domain, message }: { address: string } & Pick<TypedData, 'domain' | 'message'>,
): Promise<void> {
  const balance = await readBalance(provider, String(domain.verifyingContract), address);
  const price = BigInt(String(message.value));
  if (balance === undefined || balance >= price) return;
  const usdc = (units: bigint) => `${toWhole(String(units), 6)} USDC`;
  const network = chains[Number(domain.chainId)]?.chainName ?? `chain ${domain.chainId}`;
  throw new WalletError(
    `Your account has ${usdc(balance)} on ${network}, and this costs ${usdc(price)}. Nothing was signed.`,
  );
}

/** The chains, with public RPC endpoints for wallets that do not know a chain yet. */
export const chains: Record<number, { chainName: string; rpcUrl: string; coin: string }> = {
  8453: { chainName: 'Base', rpcUrl: 'https://mainnet.base.org', coin: 'ETH' },
  137: { chainName: 'Polygon', rpcUrl: 'https://polygon-rpc.com', coin: 'POL' },
  42161: { chainName: 'Arbitrum One', rpcUrl: 'https://arb1.arbitrum.io/rpc', coin: 'ETH' },
};

/** Error of a wallet that does not have the chain (EIP-3085). */
const unknownChain = 4902;

/** Switches a wallet to a chain, and adds the chain if the wallet lacks it. */
export async function switchChain(provider: Provider, id: number): Promise<void> {
  const chainId = `0x${id.toString(16)}`;
  const chain = chains[id];
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if (walletCode(error) !== unknownChain || !chain) throw error;
    const { chainName, rpcUrl, coin } = chain;
    const nativeCurrency = { name: coin, symbol: coin, decimals: 18 };
    await provider.request({
      method: 'wallet_addEthereumChain',
      params: [{ chainId, chainName, rpcUrls: [rpcUrl], nativeCurrency }],
    });
  }
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
