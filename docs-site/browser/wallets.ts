import type { ClientEvmSigner } from '@x402/evm';
import type { Wallet } from '../../client/index.ts';
import { chains, switchChain } from './chains.ts';
import { chooseWallet, type EvmWallet, findEvmWallets, findSolanaWallets, type Provider } from './findWallets.ts';
import { shorten, toWhole } from './numbers.ts';
import { WalletError } from './walletErrors.ts';
import { findSizeProblem, readBalance } from './walletReads.ts';

/** How a call is paid: `none` shows the 402, `browser` uses the browser's wallet, `demo` the sandbox's demo wallet. */
export type PayWith = 'none' | 'browser' | 'demo';

/**
 * A wallet of this browser (EIP-1193) and its selected account. The user chooses if there are several wallets.
 * @param question the title of that choice
 * @throws {WalletError} if there is no wallet or account. Errors of the wallet pass through unchanged.
 */
export async function connectWallet(question: string): Promise<{ provider: Provider; address: `0x${string}` }> {
  const found = findEvmWallets();
  if (found.length === 0) throw noWallet();
  const wallet = await chooseWallet(found, question);
  if (!wallet) throw noChoice();
  return connectEvm(wallet);
}

const noWallet = (kind = 'wallet') =>
  new WalletError(`No ${kind} was found in this browser. Install one, or use code.`);
const noChoice = () => new WalletError('No wallet was chosen. Nothing was signed.');

async function connectEvm({ provider }: EvmWallet): Promise<{ provider: Provider; address: `0x${string}` }> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const address = Array.isArray(accounts) ? accounts[0] : undefined;
  if (!isAddress(address)) throw new WalletError('The wallet returned no account.');
  return { provider, address };
}

/** How a wallet of this browser pays. */
export interface PayingWallet {
  wallet: Wallet;
  /** Present for a wallet of Solana: where the client reads the blockhash. */
  solanaRpcUrl?: string;
}

interface Payment {
  /** The CAIP-2 ids of the networks on which the service accepts the payment. */
  networks: readonly string[];
  /** The size that the call is for; nothing is signed if an EVM wallet reads that no venue can fill it. */
  sold?: SoldSize | undefined;
  /** Shows the balance before the wallet asks. */
  say?: (text: string) => void;
}

/**
 * A wallet of this browser for a payment, on EVM chains or Solana. The user chooses if there are several.
 * @throws {WalletError} if there is no wallet or account, or too little USDC. Errors of the wallet pass through unchanged.
 */
export async function connectPayingWallet({ networks, sold, say = () => undefined }: Payment): Promise<PayingWallet> {
  const isAccepted = (family: string) => networks.some((network) => network.startsWith(`${family}:`));
  const found = [
    ...(isAccepted('eip155') ? findEvmWallets() : []),
    ...(isAccepted('solana') ? findSolanaWallets() : []),
  ];
  if (found.length === 0) throw noWallet(isAccepted('eip155') ? 'wallet' : 'wallet of Solana');
  const chosen = await chooseWallet(found, 'Pay with which wallet?');
  if (!chosen) throw noChoice();
  if (chosen.family === 'eip155') return { wallet: await connectEvmPayer(chosen, sold, say) };
  const { connectSolanaWallet, solanaReadsUrl } = await import('./solanaWallet.ts');
  return { wallet: await connectSolanaWallet(chosen.wallet, say), solanaRpcUrl: solanaReadsUrl() };
}

/**
 * An EVM wallet, for EIP-712 signatures. Switches it to the payment's chain first, because wallets reject typed data for
 * another chain, and adds the chain if the wallet lacks it.
 */
async function connectEvmPayer(
  chosen: EvmWallet,
  sold: SoldSize | undefined,
  say: (text: string) => void,
): Promise<ClientEvmSigner> {
  const { provider, address } = await connectEvm(chosen);
  const problem = sold && (await findSizeProblem(provider, sold));
  if (problem) throw new WalletError(`${problem} Nothing was signed.`);
  return {
    address,
    async signTypedData({ domain, types, primaryType, message }) {
      const { chainId } = domain;
      await switchChain(provider, Number(chainId));
      await showFunds(provider, { address, domain, message }, say);
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
interface SoldSize {
  chainId: number;
  token: string;
  size: string;
}

type TypedData = Parameters<ClientEvmSigner['signTypedData']>[0];

/** @throws {WalletError} the account has less USDC than the payment. A balance that cannot be read stops nothing. */
async function showFunds(
  provider: Provider,
  { address, domain, message }: { address: string } & Pick<TypedData, 'domain' | 'message'>,
  say: (text: string) => void,
): Promise<void> {
  const balance = await readBalance(provider, String(domain.verifyingContract), address);
  const price = BigInt(String(message.value));
  if (balance === undefined) return;
  const usdc = (units: bigint) => `${toWhole(String(units), 6)} USDC`;
  const network = chains[Number(domain.chainId)]?.chainName ?? `chain ${domain.chainId}`;
  if (balance < price)
    throw new WalletError(
      `Your account has ${usdc(balance)} on ${network}, and this costs ${usdc(price)}. Nothing was signed.`,
    );
  say(
    `Account ${shorten(address)} has ${usdc(balance)} on ${network}. Confirm the payment of ${usdc(price)} in your wallet.`,
  );
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
