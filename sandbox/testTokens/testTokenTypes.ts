import type { Abi, Address, Hex } from 'viem';
import type { SandboxPool } from '../sandboxPool.ts';

/** Result of an ordinary wallet's trades; the values of the service's `transferability.outcome`. */
export type TradeOutcome =
  | 'tradable'
  | 'sale-blocked'
  | 'sale-blocked-same-block-only'
  | 'sale-blocked-for-a-time'
  | 'purchase-blocked'
  | 'size-limited'
  | 'contract-wallets-only-blocked'
  | 'unknown';

type VerdictTrigger = 'NO_EXIT_VENUE' | 'EXIT_LIQUIDITY_DRAINED' | 'TRADING_DISABLED';

type PowerArgument =
  | 'holder'
  | 'holders'
  | 'holderNumber'
  | 'holderBytes'
  | 'holderEntries'
  | 'holderListing'
  | 'highFees'
  | 'amount'
  | 'all'
  | 'thief'
  | 'pool'
  | 'pools'
  | number
  | boolean;

/** An action of a privileged wallet against holders, and the call that performs it. */
export interface OwnerPower {
  effect: 'block-holder' | 'block-all-sales' | 'limit-trades' | 'raise-tax' | 'mint' | 'seize';
  /** `owner`: the token's deployer, also after it renounced. `hidden`: a second wallet that no public function returns. */
  by: 'owner' | 'hidden';
  /** The power is in another contract that the token calls. */
  external?: true;
  functionName: string;
  /**
   * `holder…`: the holder's address, in several encodings. `highFees`: taxes of 90 %, as a tuple. `thief`: the address that receives tokens. `amount`: 1,000
   * tokens. `all`: the amount that the holder bought.
   */
  args: readonly PowerArgument[];
  /** Seconds from the call to its effect. */
  beginsAfter?: number;
}

/**
 * Facts of a token, written by hand. `groundTruth.test.ts` compares them with real transactions.
 *
 * A trade sells 1,000 USD of the counter-asset. The seller is a wallet without code that bought at an ordinary gas price,
 * or, where purchases fail, one that received tokens from the team. Later sales sell half of the purchase.
 */
export interface GroundTruth {
  verdict: 'avoid' | 'clear';
  triggers: readonly VerdictTrigger[];
  /** Other correct trigger lists, where a rule is ambiguous. */
  acceptedTriggers?: readonly (readonly VerdictTrigger[])[];
  /** Correct outcomes, the best first. */
  outcomes: readonly TradeOutcome[];

  canBuy: boolean;
  /** A sale of some size works at some time within a day. */
  canSell: boolean;
  canSellSameBlock: boolean;
  canSellNextBlock: boolean;
  canSellAfter60Blocks: boolean;
  canSellAfterOneDay: boolean;
  /** A sale of the whole purchase, 60 blocks later. */
  canSellWhole: boolean;
  /** A sale of a hundredth of the purchase, 60 blocks later. */
  canSellSmall: boolean;
  /** The sale at 100 gwei, 60 blocks later. */
  canSellAtHighGasPrice: boolean;
  /** Bought at 100 gwei, sold at an ordinary price 60 blocks later. */
  canSellAfterHighGasBuy: boolean;
  canTransfer: boolean;
  /** A wallet that received tokens from a buyer sells them in the next block. */
  receiverCanSell: boolean;
  /** A wallet that is a contract buys, and sells 60 blocks later. */
  contractWalletCanTrade: boolean;

  /**
   * Taxes as fractions, negative if more arrives than was sent; null if nothing can be transferred. `sellTax` is that of
   * the sale after 60 blocks, or else of a smaller sale, a later one or a transfer to the pool.
   */
  buyTax: number | null;
  sellTax: number | null;
  transferTax: number | null;
  /** Tax of a sale in the next block, if it differs from `sellTax`. */
  sellTaxNextBlock?: number;
  /** Tax of a sale of the whole purchase, if it differs from that of a smaller sale. */
  wholeSaleTax?: number;
  /** Tax of a sale with a gas limit as wallets set it. The other measurements have a higher limit. */
  usualGasTax?: number;
  /** The larger tax of a contract wallet's trades, and of those at a high gas price, if it exceeds the ordinary wallet's. */
  contractWalletTax?: number;
  highGasPriceTax?: number;
  /** Later sales of a wallet are taxed more than its first one. */
  laterSalesTaxed?: true;
  /** balanceOf() returns an excessive balance to unknown contracts. */
  liesToContracts?: true;
  /** Largest difference of a correct measurement from the tax. Default: 0.001. */
  taxTolerance?: number;
  /** Taxes of a further pool, by venue. `sellTax` is null if a sale there reverts. */
  otherPools?: readonly { venue: string; buyTax: number; sellTax: number | null }[];
  /** balanceOf returns another amount than the wallet can transfer. */
  balanceIsFalse?: true;

  /** null: ambiguous, so it is not tested. */
  hasBlacklist: boolean | null;
  hasMaxLimit: boolean | null;
  mintable: boolean | null;
  /** null: owner() returns nothing. */
  ownerRenounced: boolean | null;
  /** `shutWhen`: the getter closes trading if it returns true (a pause). */
  tradingGate?: { getter: string; reads: boolean | 'reverts'; ambiguous: boolean; shutWhen?: true };
  powers: readonly OwnerPower[];
  /** Refuses sales through a router with replaced code, so simulated sales prove nothing. */
  refusesSimulations?: true;
  /**
   * The check cannot find or exclude the powers: it cannot find the executed code or the account with the power, or it
   * cannot evaluate calls.
   */
  powersHidden?: true;
  /** Transfers call a contract that is no pool, router or base asset, so that it can decide about them. */
  asksContract?: true;
  /** Bounds of the exit liquidity in USD. Absent: at least 50, the threshold of `EXIT_LIQUIDITY_DRAINED` at 1,000 USD. */
  exitLiquidityUsd?: readonly [number, number];
  /** A pool's hook or plugin refuses all simulated sales. Whether it accepts another caller is unknown. */
  poolRefuses?: true;
  /** A venue that holds the token and that the service cannot measure. */
  unmeasuredVenue?: string;
}

/** A pool of a test token. */
export type PoolDefinition =
  /** The token's Uniswap v2 pair, filled by the team through the router. */
  | { kind: 'router'; counter: string; counterAmount: string; tokenShare: number }
  /** A venue of the sandbox, filled by the market maker. */
  | {
      kind: 'venue';
      venue: string;
      counter: string;
      counterAmount: string;
      tokenShare: number;
      tier?: number;
      native?: boolean;
      hook?: 'takes-fee';
      /** All liquidity is above the token's price, so the pool holds only the token. */
      above?: boolean;
    }
  /** A custom pool of Algebra Integral, which the factory does not return for the pair. Its plugin may refuse sales. */
  | { kind: 'custom-pool'; refusesSales?: true }
  /** A v4 pool whose hook refuses sales. */
  | { kind: 'refusing-hook' }
  /** A singleton that the service does not measure. */
  | { kind: 'vault' };

export interface Artifact {
  abi: Abi | readonly unknown[];
  bytecode: Hex;
}

/** Queues the transactions that deploy a token. The owner sends them in the order of these calls. */
export interface TokenDeployer {
  owner: Address;
  /** The wallet behind hidden owners. */
  insider: Address;
  router: Address;
  /** The constructor's first argument. `withPair` false: the constructor creates no pair. */
  params(withPair?: boolean): {
    name: string;
    symbol: string;
    decimals: number;
    supply: bigint;
    factory: Address;
    counter: Address;
  };
  /** Queues a creation and returns its address. */
  create(artifact: Artifact, args?: readonly unknown[]): Address;
  /** Queues creation code without constructor arguments, and returns the contract's address. */
  createRaw(creation: Hex): Address;
  /** Queues a call. */
  call(to: Address, data: Hex): void;
  /** Queues a call that is sent after all pools are filled. */
  afterwards(to: Address, data: Hex): void;
}

export interface TokenDefinition {
  symbol: string;
  /** The value of symbol(), if it differs from `symbol`. */
  spelled?: string;
  name?: string;
  decimals?: number;
  about: string;
  pools: readonly PoolDefinition[];
  deploy(deployer: TokenDeployer): Address;
  /** The functions that `truth` names. */
  abi?: Abi | readonly unknown[];
  truth: GroundTruth;
}

/** A test token, deployed on a chain. */
export interface TestToken extends Omit<TokenDefinition, 'deploy' | 'pools'> {
  address: Address;
  decimals: number;
  supply: bigint;
  pools: readonly TestTokenPool[];
}

/** A deployed pool of a test token. For the venue `vault`, the unmeasured singleton, `pool` is the vault's address. */
export interface TestTokenPool extends SandboxPool {
  counter: Address;
  /** Amount of the counter-asset that is worth 1,000 USD. Base units. */
  tradeAmount: bigint;
  counterUsd: number;
  counterDecimals: number;
}

export interface TestTokens {
  /** The deployer and owner of every token. The node has unlocked it. */
  deployer: Address;
  /** The account of hidden owners. The node has unlocked it. */
  insider: Address;
  router: Address;
  tokens: readonly TestToken[];
}
