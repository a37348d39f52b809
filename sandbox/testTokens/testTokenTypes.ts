import type { Abi, Address, Hex } from 'viem';
import type { SandboxPool } from '../sandboxPool.ts';

/** What an ordinary wallet meets, in one word. Same words as the service's `transferability.outcome`. */
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

/** Something that a privileged wallet can do to holders, with the very call that does it. */
export interface OwnerPower {
  effect: 'block-holder' | 'block-all-sales' | 'limit-trades' | 'raise-tax' | 'mint' | 'seize';
  /** `owner` is who owner() names; `hidden` is a wallet that nothing public names. */
  by: 'owner' | 'hidden';
  /** The power sits in another contract that the token asks. */
  external?: true;
  functionName: string;
  /** `holder` stands for the victim's address, `amount` for some tokens. */
  args: readonly ('holder' | 'holders' | 'amount' | 'thief' | 'pool' | 'pools' | number | boolean)[];
}

/**
 * What is true of a token, written by hand and held against real transactions by `groundTruth.test.ts`.
 *
 * The trade is 1,000 USD worth of the counter-asset. Who can sell: a wallet of no code that bought with an ordinary gas
 * price; where purchases fail, one that the team gave tokens to. Sales by time are of half of what was bought.
 */
export interface GroundTruth {
  verdict: 'avoid' | 'clear';
  triggers: readonly VerdictTrigger[];
  /** Trigger lists that would be no less right, where the reading of a rule is open. */
  alsoRight?: readonly (readonly VerdictTrigger[])[];
  /** The words that would be right, the best first. */
  outcomes: readonly TradeOutcome[];

  canBuy: boolean;
  /** At some size, at some time within a day. */
  canSell: boolean;
  canSellSameBlock: boolean;
  canSellNextBlock: boolean;
  canSellAfter60Blocks: boolean;
  canSellAfterOneDay: boolean;
  /** All that was bought, 60 blocks later. */
  canSellWhole: boolean;
  /** A hundredth of what was bought, 60 blocks later. */
  canSellSmall: boolean;
  /** The sale at 100 gwei, 60 blocks later. */
  canSellAtHighGasPrice: boolean;
  /** Bought at 100 gwei, sold at an ordinary price 60 blocks later. */
  canSellAfterHighGasBuy: boolean;
  canTransfer: boolean;
  /** Who was given tokens by a buyer sells them in the next block. */
  receiverCanSell: boolean;
  /** A wallet that is a contract buys, and sells 60 blocks later. */
  contractWalletCanTrade: boolean;

  /** Fractions, signed; null where nothing moves that could be taxed. The sale is the one after 60 blocks. */
  buyTax: number | null;
  sellTax: number | null;
  transferTax: number | null;
  /** Where it differs from `sellTax`. */
  sellTaxNextBlock?: number;
  /** How far a right measurement may be from the tax; 0.001 when absent. */
  taxTolerance?: number;
  /** Taxes of a further pool, by venue. */
  otherPools?: readonly { venue: string; buyTax: number; sellTax: number }[];
  /** balanceOf does not tell what a wallet can move. */
  balanceIsFalse?: true;

  /** null: arguable, and not judged. */
  hasBlacklist: boolean | null;
  hasMaxLimit: boolean | null;
  mintable: boolean | null;
  /** null: no owner() answers. */
  ownerRenounced: boolean | null;
  /** `shutWhen` true: a pause, which stops trading when it reads true. */
  tradingGate?: { getter: string; reads: boolean | 'reverts'; ambiguous: boolean; shutWhen?: true };
  powers: readonly OwnerPower[];
  /** Refuses sales over replaced router code, so that simulated sales show nothing. */
  refusesSimulations?: true;
  /** The code that runs, or the account that holds the powers, cannot be found. */
  powersHidden?: true;
  /** What a sale of any size can draw, in USD, as bounds. Absent: more than 50 (a twentieth of 1,000). */
  exitLiquidityUsd?: readonly [number, number];
  /** A pool's hook or plugin refuses every sale that we could make: whether it accepts another caller is unknown. */
  poolRefuses?: true;
  /** A venue that the service cannot measure holds tokens of it. */
  unmeasuredVenue?: string;
}

/** Where a test token is traded. Without one it has no pool at all. */
export type PoolDefinition =
  /** Its Uniswap v2 pair; liquidity by the team through the router. */
  | { kind: 'router'; counter: string; counterAmount: string; tokenShare: number }
  /** A venue of the sandbox; liquidity by the market maker. */
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

/** What a token needs while it is born. Every creation and call comes from the keeper, in the order asked. */
export interface TokenDeployer {
  keeper: Address;
  /** The wallet behind hidden owners. */
  backstage: Address;
  router: Address;
  /** The constructor's first argument. `withPair` false: no pair of its own. */
  birth(withPair?: boolean): {
    name: string;
    symbol: string;
    decimals: number;
    supply: bigint;
    factory: Address;
    counter: Address;
  };
  /** Queues a creation and answers its address. */
  create(artifact: Artifact, args?: readonly unknown[]): Address;
  /** Queues creation code as it stands. */
  createRaw(creation: Hex): Address;
  /** Queues a call. */
  call(to: Address, data: Hex): void;
  /** Queues a call that is made once all pools are filled. */
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
  /** The counter-asset's raw amount that the trade of 1,000 USD pays. */
  tradeAmount: bigint;
  counterUsd: number;
  counterDecimals: number;
}

export interface TestTokens {
  /** Deployer and owner of every token; unlocked on the local chain. */
  keeper: Address;
  backstage: Address;
  router: Address;
  tokens: readonly TestToken[];
}
