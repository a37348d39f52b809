import type { Address, Hex } from 'viem';
import type { Mining } from './process/mineEvery.ts';
import type { SandboxChainName, SandboxPool } from './sandboxPool.ts';
import type { TestTokens } from './testTokens/testTokenTypes.ts';

/** A seeded token. */
export interface SandboxToken {
  chain: SandboxChainName;
  symbol: string;
  address: Address;
  decimals: number;
  /** Description for the sandbox's token list, in one line. */
  about: string;
}

export interface SandboxWallet {
  role: 'demo' | 'trader' | 'facilitator' | 'payTo' | 'stranger';
  about: string;
  address: Address;
  privateKey: Hex;
}

export interface SandboxChain {
  name: SandboxChainName;
  chainId: number;
  rpcUrl: string;
  /** The USDC contract for x402 payments. */
  usdc: Address;
  wrappedNative: Address;
  /** The contract that `executeRoute` swaps through. */
  executor: Address;
  tokens: SandboxToken[];
  pools: SandboxPool[];
}

export interface SolanaWallet {
  role: 'demo' | 'facilitator' | 'payTo' | 'stranger';
  about: string;
  /** Base58. */
  address: string;
  /** Base58 of seed and public key (64 bytes), the format that wallets import. */
  secretKey: string;
}

/** A local Solana with USDC and test controls. */
export interface SandboxSolana {
  rpcUrl: string;
  /** The mint, at its mainnet address. */
  usdc: string;
  wallets: SolanaWallet[];
  /** Sets the balance of a wallet's USDC account in base units. Creates a missing account. */
  setUsdcBalance(owner: string, units: bigint): Promise<void>;
  /** Sets a wallet's SOL balance in lamports. */
  setLamports(owner: string, amount: bigint): void;
  /** Skips this many slots; a transaction expires after 150. */
  skipSlots(count: number): void;
  close(): Promise<void>;
}

export interface Sandbox {
  chains: Partial<Record<SandboxChainName, SandboxChain>>;
  /** Of the chains that were started with `blockMs`. */
  mining: Partial<Record<SandboxChainName, Mining>>;
  wallets: SandboxWallet[];
  /** Present when requested. */
  testTokens?: TestTokens;
  /** For payments only; it has no venues. */
  solana?: SandboxSolana;
  /** Stops the nodes; they also stop when this process exits for any reason. */
  close(): Promise<void>;
}

/** One leg as the service returns it. */
export interface ExecutableLeg {
  venue: string;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  /** Base units that this leg sells. Exact only in the state that the plan was computed for. */
  amountIn?: bigint;
  /**
   * Used without `amountIn`: basis points of the plan's total amount of tokenIn. Without both, a leg sells the output of
   * the previous leg.
   */
  shareBps?: number;
}
