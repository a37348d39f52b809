import { privateKeyToAccount } from 'viem/accounts';
import { NoPaymentOptionError, SandboxError, UnavailableError } from '../errors.ts';
import type { AllowSandbox } from '../pay/sandboxOffer.ts';
import type { Wallet } from '../pay/wallets.ts';
import type { Options } from './commandLine.ts';
import { UsageError } from './usageError.ts';

export interface PayingWallet {
  wallet: Wallet;
  solanaRpcUrl?: string;
  /** `only` for the demo wallet, because its key is public. */
  allowSandbox?: AllowSandbox;
}

interface SandboxWallets {
  wallets: { role: string; privateKey?: `0x${string}` }[];
  solana?: { rpcUrl: string; wallets: { role: string; secretKey?: string }[] };
}

/**
 * Returns the sandbox's demo wallet with `--sandbox`, else the wallet of TRUEFILL_KEY.
 * @throws {UsageError} TRUEFILL_KEY is missing or invalid
 * @throws {SandboxError | UnavailableError | NoPaymentOptionError} the service has no usable demo wallet
 */
export async function findWallet(options: Options, env: Record<string, string | undefined>): Promise<PayingWallet> {
  const onSolana = options.payOn?.startsWith('solana:') === true;
  if (options.sandbox) return { ...(await sandboxWallet(options.url, onSolana)), allowSandbox: 'only' };
  const key = env.TRUEFILL_KEY?.trim();
  if (!key)
    throw new UsageError(
      'No wallet: set TRUEFILL_KEY to the private key of a wallet with USDC, or pass --sandbox to use test money.',
    );
  // The error messages of the libraries may contain the key, so they are not printed.
  try {
    if (/^0x[0-9a-fA-F]{64}$/.test(key)) return { wallet: privateKeyToAccount(key as `0x${string}`) };
    if (/^[1-9A-HJ-NP-Za-km-z]{80,90}$/.test(key)) return await solanaWallet(key, env.SOLANA_RPC_URL);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'TRUEFILL_KEY is not a valid private key, although its format is right. Nothing was signed. Copy the key again.',
    );
  }
  throw new UsageError('TRUEFILL_KEY is neither 0x and 64 hexadecimal digits nor a Solana secret key in base58.');
}

async function sandboxWallet(url: string, onSolana: boolean): Promise<PayingWallet> {
  const response = await fetch(`${url}/sandbox`, { signal: AbortSignal.timeout(10_000) }).catch((cause: unknown) => {
    throw new UnavailableError(`${url} cannot be reached. Nothing was signed. Check --url and that the service runs.`, {
      cause,
    });
  });
  if (!response.ok)
    throw new SandboxError(`${url} is not a sandbox. Nothing was signed. Pay with your own wallet (TRUEFILL_KEY).`);
  const { wallets, solana } = (await response.json()) as SandboxWallets;
  if (onSolana) {
    const demo = solana?.wallets.find(({ role }) => role === 'demo');
    if (!solana || !demo?.secretKey)
      throw new NoPaymentOptionError('This sandbox does not support Solana. Nothing was signed.');
    return solanaWallet(demo.secretKey, solana.rpcUrl);
  }
  const demo = wallets.find(({ role }) => role === 'demo');
  if (!demo?.privateKey) throw new NoPaymentOptionError('This sandbox has no demo wallet. Nothing was signed.');
  return { wallet: privateKeyToAccount(demo.privateKey) };
}

/** The Solana packages are loaded only to pay on Solana. */
async function solanaWallet(secretKey: string, rpcUrl: string | undefined): Promise<PayingWallet> {
  const { createKeyPairSignerFromBytes, getBase58Encoder } = await import('@solana/kit');
  const wallet = await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(secretKey)));
  return { wallet, ...(rpcUrl !== undefined && { solanaRpcUrl: rpcUrl }) };
}
