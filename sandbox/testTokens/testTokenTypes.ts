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
  /** `holder` stands for the victim's address, in several shapes; `amount` for some tokens, `all` for its balance. */
  args: readonly PowerArgument[];
  /** When the effect begins, in seconds after the call. */
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
  /** At some size, at some time within a day. */
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

  /** Fractions, signed; null where nothing moves that could be taxed. The sale is the one after 60 blocks. */
  buyTax: number | null;
  sellTax: number | null;
  transferTax: number | null;
  /** Tax of a sale in the next block, if it differs from `sellTax`. */
  sellTaxNextBlock?: number;
  /** Later sales of a wallet are taxed more than its first one. */
  laterSalesTaxed?: true;
  /** balanceOf returns too much to contracts that the token does not know. */
  liesToContracts?: true;
  /** Largest difference of a correct measurement from the tax; 0.001 when absent. */
  taxTolerance?: number;
  /** Taxes of a further pool, by venue. */
  otherPools?: readonly { venue: string; buyTax: number; sellTax: number }[];
  /** balanceOf returns another amount than the wallet can transfer. */
  balanceIsFalse?: true;

  /** null: arguable, and not judged. */
  hasBlacklist: boolean | null;
  hasMaxLimit: boolean | null;
  mintable: boolean | null;
  /** null: owner() returns nothing. */
  ownerRenounced: boolean | null;
  /** `shutWhen` true: a pause, which stops trading when it reads true. */
  tradingGate?: { getter: string; reads: boolean | 'reverts'; ambiguous: boolean; shutWhen?: true };
  powers: readonly OwnerPower[];
  /** Refuses sales over replaced router code, so that simulated sales show nothing. */
  refusesSimulations?: true;
  /**
   * The check cannot know the powers: it cannot find the code that runs or the account with the power, or judge any
   * call.
   */
  powersHidden?: true;
  /** Bounds of what a sale of any size draws, in USD. Absent: more than 50 (a twentieth of 1,000). */
  exitLiquidityUsd?: readonly [number, number];
  /** A pool's hook or plugin refuses all simulated sales. Whether it accepts another caller is unknown. */
  poolRefuses?: true;
  /** A venue that the service cannot measure holds tokens of it. */
  unmeasuredVenue?: string;
}

/** Where a test token is traded. Without one it has no pool at all. */
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
      /** Liquidity lies beyond the price, on the token's side only. */
      above?: boolean;
    }
  /** An Algebra Integral pool beside the one that the factory has for the pair; its plugin may refuse sales. */
  | { kind: 'custom-pool'; refusesSales?: true }
  /** A v4 pool whose hook refuses sales. */
  | { kind: 'refusing-hook' }
  /** A singleton that the service does not measure. */
  | { kind: 'vault' };

export interface Artifact {
  abi: Abi | readonly unknown[];
  bytecode: Hex;
}

/** Deploys a token. Creations and calls are sent by the keeper, in the order of these calls. */
export interface TokenDeployer {
  keeper: Address;
  /** The wallet behind hidden owners. */
  insider: Address;
  router: Address;
  /** The constructor's first argument. `withPair` false: no pair of its own. */
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
  /** Queues unchanged creation code. */
  createRaw(creation: Hex): Address;
  /** Queues a call. */
  call(to: Address, data: Hex): void;
  /** Queues a call for after all pools are filled. */
  afterwards(to: Address, data: Hex): void;
}

export interface TokenDefinition {
  symbol: string;
  /** The symbol as the token spells it, where that is not `symbol`. */
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

/** A pool of a test token. `venue` is `vault` for the unmeasured singleton, whose address `pool` then is. */
export interface TestTokenPool extends SandboxPool {
  counter: Address;
  /** Raw amount of the counter-asset that is worth 1,000 USD. */
  tradeAmount: bigint;
  counterUsd: number;
  counterDecimals: number;
}

export interface TestTokens {
  /** Deployer and owner of every token; unlocked on the local chain. */
  keeper: Address;
  insider: Address;
  router: Address;
  tokens: readonly TestToken[];
}
