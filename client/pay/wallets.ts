import { x402Client } from '@x402/core/client';
import type { SchemeNetworkClient } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { expiringOnly, isSolanaSigner, type SolanaSigner } from './solanaSigner.ts';

type SignTypedData = (typed: {
  domain: Record<string, unknown>;
  types: Record<string, unknown>;
  primaryType: string;
  message: Record<string, unknown>;
}) => Promise<`0x${string}`>;

/** A viem local account, or any other signer of EIP-712 typed data. */
export interface EvmAccount {
  address: `0x${string}`;
  // viem derives the argument's type from `types`, so no single type accepts all accounts.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  signTypedData(typed: any): Promise<`0x${string}`>;
}

/** A viem wallet client with an account, e.g. of a browser wallet. */
export interface WalletClient {
  account?: { address: `0x${string}` } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  signTypedData(typed: any): Promise<`0x${string}`>;
}

export type Wallet = EvmAccount | WalletClient | SolanaSigner;

export interface PayerOptions {
  wallet: Wallet | readonly Wallet[];
  /**
   * CAIP-2 id of the only payment network. Default: the first network of `accepts[]` that a wallet can sign for, and
   * another one if that network cannot settle the payment.
   */
  payOn?: `${string}:${string}`;
  /** URL of the Solana RPC node that supplies a recent blockhash. */
  solanaRpcUrl?: string;
}

/**
 * Asserts that every wallet can sign. The message does not contain the value, which may be a private key.
 * @throws {TypeError}
 */
export function assertWallets(wallet: unknown): void {
  for (const one of Array.isArray(wallet) ? wallet : [wallet]) {
    if (typeof one === 'object' && one !== null && ('signTypedData' in one || isSolanaSigner(one))) continue;
    throw new TypeError(
      `wallet must be a viem account, a viem wallet client or a signer of @solana/kit, got ${one === null ? 'null' : typeof one}. From a private key: privateKeyToAccount(key) of viem/accounts. Nothing was sent.`,
    );
  }
}

/** The wallets of a client. */
export interface Payer {
  /** The published x402 client. */
  client: x402Client;
  /** The scheme that pays on a network; undefined if no wallet can pay there. */
  findScheme(network: string): SchemeNetworkClient | undefined;
}

/**
 * The published x402 client with the given wallets. It pays in its default assets only. Its limit of 1 USD is disabled,
 * because `Budget` enforces `spendLimit`.
 *
 * @throws {TypeError} a wallet client without an account
 */
export async function createPayer({ wallet, solanaRpcUrl }: PayerOptions): Promise<Payer> {
  const client = new x402Client().setSpendControls({ maxAmountPerPayment: false });
  const schemes = new Map<string, SchemeNetworkClient>();
  for (const one of Array.isArray(wallet) ? (wallet as readonly Wallet[]) : [wallet as Wallet]) {
    if (isSolanaSigner(one)) schemes.set('solana', await solanaScheme(expiringOnly(one), solanaRpcUrl));
    else schemes.set('eip155', new ExactEvmScheme(toSigner(one)));
  }
  for (const [namespace, scheme] of schemes) client.register(`${namespace}:*`, scheme);
  return { client, findScheme: (network) => schemes.get(network.slice(0, network.indexOf(':'))) };
}

function toSigner(wallet: EvmAccount | WalletClient): { address: `0x${string}`; signTypedData: SignTypedData } {
  if ('address' in wallet) return { address: wallet.address, signTypedData: (typed) => wallet.signTypedData(typed) };
  const { account } = wallet;
  if (!account)
    throw new TypeError('The wallet client has no account. Create it with an account, or pass an account instead.');
  return { address: account.address, signTypedData: (typed) => wallet.signTypedData({ ...typed, account }) };
}

/** Solana needs many packages, so they are loaded only for a Solana wallet. */
async function solanaScheme(signer: SolanaSigner, rpcUrl: string | undefined) {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  type Signer = ConstructorParameters<typeof ExactSvmScheme>[0];
  return new ExactSvmScheme(signer as unknown as Signer, rpcUrl === undefined ? {} : { rpcUrl });
}
