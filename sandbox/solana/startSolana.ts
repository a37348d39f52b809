import {
  type Address,
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  type EncodedAccount,
  getBase58Decoder,
  lamports,
  type ReadonlyUint8Array,
} from '@solana/kit';
import {
  AccountState,
  findAssociatedTokenPda,
  getMintEncoder,
  getTokenEncoder,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { hexToBytes, keccak256, toHex } from 'viem';
import type { SandboxSolana, SolanaWallet } from '../sandboxTypes.ts';
import { createLocalLedger, type LocalLedger } from './localLedger.ts';
import { createRpcMethods } from './rpcMethods.ts';
import { serveRpc } from './serveRpc.ts';

/** USDC's mint on mainnet. Source: Circle's list of USDC contract addresses. */
const usdcMint = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const mintAuthority = address('BJE5MMbqXjVwjAF7oxwPYXnTXDyspzZyt4vwenNd5ruG');
const usdcDecimals = 6;

const stock: Record<SolanaWallet['role'], { about: string; usdc: bigint | undefined; lamports: bigint }> = {
  demo: { about: 'Pays for demo calls on Solana: 10,000 USDC.', usdc: 10_000_000_000n, lamports: 0n },
  facilitator: { about: 'Settles payments: SOL for fees only.', usdc: undefined, lamports: 10_000_000_000n },
  payTo: { about: 'Receives the payments: a token account with nothing in it.', usdc: 0n, lamports: 0n },
  stranger: { about: 'Has nothing at all: a wallet that cannot pay.', usdc: undefined, lamports: 0n },
};

async function walletOf(role: SolanaWallet['role']): Promise<SolanaWallet> {
  // As on the EVM chains, the key of payTo is random per start and is not published.
  const seed =
    role === 'payTo'
      ? crypto.getRandomValues(new Uint8Array(32))
      : hexToBytes(keccak256(toHex(`truefill sandbox wallet on Solana: ${role}`)));
  return { role, about: stock[role].about, ...(await solanaWallet(seed)) };
}

/** @param seed 32 bytes. The secret key is base58 of seed and public key, as wallets import it. */
export async function solanaWallet(seed: Uint8Array): Promise<{ address: string; secretKey: string }> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(seed, true);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', signer.keyPair.publicKey));
  const secretKey = getBase58Decoder().decode(new Uint8Array([...seed, ...publicKey]));
  return { address: signer.address, secretKey };
}

function accountOf(at: Address, data: ReadonlyUint8Array): EncodedAccount {
  return {
    address: at,
    data: new Uint8Array(data),
    executable: false,
    lamports: lamports(10_000_000n),
    programAddress: TOKEN_PROGRAM_ADDRESS,
    space: BigInt(data.length),
  };
}

/** Sets the balance of the wallet's associated USDC account, in raw units; creates a missing account. */
async function setUsdcBalance(ledger: LocalLedger, owner: Address, amount: bigint): Promise<void> {
  const [at] = await findAssociatedTokenPda({ owner, mint: usdcMint, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const data = getTokenEncoder().encode({
    mint: usdcMint,
    owner,
    amount,
    delegate: null,
    state: AccountState.Initialized,
    isNative: null,
    delegatedAmount: 0n,
    closeAuthority: null,
  });
  ledger.place(accountOf(at, data));
}

function setLamports(ledger: LocalLedger, to: Address, amount: bigint): void {
  ledger.place({
    address: to,
    data: new Uint8Array(),
    executable: false,
    lamports: lamports(amount),
    programAddress: address('11111111111111111111111111111111'),
    space: 0n,
  });
}

/**
 * A local Solana: the real virtual machine and token programs in this process, JSON-RPC on loopback, and USDC's mint
 * at its mainnet address.
 *
 * @example
 * const solana = await startSolana();
 * new ExactSvmScheme(signer, { rpcUrl: solana.rpcUrl });
 */
export async function startSolana(now: () => number = Date.now): Promise<SandboxSolana> {
  const ledger = createLocalLedger(now);
  const mint = getMintEncoder().encode({
    mintAuthority,
    supply: 10_000_000_000_000n,
    decimals: usdcDecimals,
    isInitialized: true,
    freezeAuthority: null,
  });
  ledger.place(accountOf(usdcMint, mint));

  const roles = Object.keys(stock) as SolanaWallet['role'][];
  const wallets = await Promise.all(roles.map(walletOf));
  for (const wallet of wallets) {
    const { usdc, lamports: sol } = stock[wallet.role];
    if (sol > 0n) setLamports(ledger, address(wallet.address), sol);
    if (usdc !== undefined) await setUsdcBalance(ledger, address(wallet.address), usdc);
  }
  const { rpcUrl, close } = await serveRpc(createRpcMethods(ledger));
  return {
    rpcUrl,
    usdc: usdcMint,
    wallets,
    setUsdcBalance: (owner, units) => setUsdcBalance(ledger, address(owner), units),
    setLamports: (to, amount) => setLamports(ledger, address(to), amount),
    skipSlots: (count) => ledger.skipSlots(count),
    close,
  };
}
