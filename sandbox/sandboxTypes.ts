import type { Address, Hex } from 'viem';
import type { Zoo } from './zoo/zooTypes.ts';

export type SandboxChainName = 'base' | 'polygon' | 'arbitrum';

/** A seeded token, with the truth about it written by hand. */
export interface SandboxToken {
  chain: SandboxChainName;
  symbol: string;
  address: Address;
  decimals: number;
  /** One line for a visitor: what it is and what it is there to show. */
  about: string;
}

/** A seeded pool. `pool` is its address, or the pool id on v4; `key` is there on v4 only. */
export interface SandboxPool {
  chain: SandboxChainName;
  /** Same words as on the wire: `uniswap-v3`, `pancakeswap-v3`, `aerodrome`, `aerodrome-slipstream`, `quickswap-v3` … */
  venue: string;
  pool: Hex;
  token0: Address;
  token1: Address;
  key?: { currency0: Address; currency1: Address; fee: number; tickSpacing: number; hooks: Address };
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
  /** The USDC that x402 pays with. */
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
  /** Base58 of seed and public key, 64 bytes: what wallets import. */
  secretKey: string;
}

/** A local Solana with USDC, its switches included. */
export interface SandboxSolana {
  rpcUrl: string;
  /** The mint, at its mainnet address. */
  usdc: string;
  wallets: SolanaWallet[];
  /** Sets what a wallet's USDC account holds, in raw units; makes the account when there is none. */
  giveUsdc(owner: string, units: bigint): Promise<void>;
  giveLamports(to: string, amount: bigint): void;
  /** Lets so many slots pass at once; after 150 of them a transaction is too old. */
  skipSlots(count: number): void;
  close(): Promise<void>;
}

export interface Sandbox {
  chains: Partial<Record<SandboxChainName, SandboxChain>>;
  wallets: SandboxWallet[];
  /** There when it was asked for. */
  zoo?: Zoo;
  /** Payments only; no venue lives on it. */
  solana?: SandboxSolana;
  /** Ends the chains; they also end by themselves when the parent process dies, however it dies. */
  close(): Promise<void>;
}

/** One leg as the service answers it; all that a trader gets. */
export interface ExecutableLeg {
  venue: string;
  pool: Hex;
  tokenIn: Address;
  tokenOut: Address;
  /** Base units that this leg sells. Exact only in the state that the plan was computed for. */
  amountIn?: bigint;
  /** Without `amountIn`: basis points of all that the plan sells of tokenIn. Without both a leg sells all that the leg before bought. */
  shareBps?: number;
}
