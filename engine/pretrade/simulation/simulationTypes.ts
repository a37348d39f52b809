import { randomNumber } from '../../chain/lensCall.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { PoolFields } from '../exit/exitTypes.ts';
import { drawFrom } from './drawFrom.ts';

/** A pool to trade a token in, with the addresses that take part in a real trade. */
export interface TradePool extends PoolFields {
  token: LowerAddress;
  /** The router that a token sees in a sale. */
  router: LowerAddress;
  /** The contract that pulls the token, if it is not the router (Permit2 on singletons). */
  puller: LowerAddress | null;
}

/**
 * Time of a step: in the block of the purchase, in the next one, or 60 or more blocks, ten minutes, one day or 400 days
 * later. The blocks between are simulated only if the scenario waits for them.
 */
export type Moment = 'purchase' | 'next' | 'later' | 'tenMinutes' | 'day' | 'afterYear';

export const moments: readonly Moment[] = ['purchase', 'next', 'later', 'tenMinutes', 'day', 'afterYear'];

export type Step =
  | { action: 'buy'; at: Moment; amount: bigint }
  | { action: 'approve'; at: Moment; account: 'trader' | 'receiver' }
  /**
   * Sells `bps` of the wallet's balance at that time. `moreTip`: wei per gas in addition to the scenario's price. `gas`: a
   * gas limit instead of the scenario's.
   */
  | { action: 'sell'; at: Moment; account: 'trader' | 'receiver'; bps: number; moreTip?: bigint; gas?: bigint }
  | { action: 'transfer'; at: Moment; amount: bigint }
  | { action: 'balance'; at: Moment; account: 'trader' | 'receiver' | LowerAddress }
  | { action: 'supply'; at: Moment }
  /** The trader calls the venue's real router; `sells` is the amount of the token sold, 0 for a purchase. */
  | { action: 'route'; at: Moment; value: bigint; sells: bigint; data: `0x${string}` }
  /** A call of the token by any other account. */
  | { action: 'call'; at: Moment; from: LowerAddress; data: `0x${string}` };

/** Random properties of a scenario's wallets: a token could recognise fixed values. */
export interface Means {
  /** Wei in addition to the costs of purchase and gas: up to 0.29 ether. */
  spare: bigint;
  /** Gas limit of each transaction. */
  gas: bigint;
}

/**
 * Draws random means. The gas limit is just below that of a transaction (EIP-7825), 2^24: a wallet cannot make a trade that
 * needs more, so a trade that fails with this limit is impossible.
 */
export const randomMeans = (): Means => ({
  spare: randomNumber(8) >> 6n,
  gas: 16_000_000n + (randomNumber(4) % 750_000n),
});

/** Draws a gas limit as wallets set one: somewhat more than an ordinary sale uses. */
export const randomUsualGas = (): bigint => 500_000n + (randomNumber(4) % 400_000n);

export interface Scenario {
  name: string;
  pool: TradePool;
  /** `bare`: an ordinary wallet without a stand-in; its trades use the chain's own router. */
  wallet: 'ordinary' | 'contract' | 'bare';
  /** A fresh address. */
  trader: LowerAddress;
  receiver: LowerAddress;
  /** Wei. */
  gasPrice: bigint;
  means: Means;
  /** The account that provides the counter-asset; null if that is the wrapped native token. */
  funder: LowerAddress | null;
  steps: readonly Step[];
  /**
   * Whether the blocks between the moments are simulated: a rule that counts blocks then applies as on chain. `once`: the
   * 60 or more blocks before `later`; `twice`: those before `day` too; `never`: each moment is the next block, at its own
   * time. A simulated block takes 1.4 kB of the response.
   */
  waits: 'never' | 'once' | 'twice';
}

/**
 * Why a step failed. Payments.sol describes the stages, except `hook-refused`, `reverted` and those about gas. `over-usual-gas`: the limit of
 * the step itself was too low, which is no refusal.
 */
export interface Refusal {
  stage:
    | 'pull-reverted'
    | 'pull-returned-false'
    | 'pool-refused'
    /** The hook of a Uniswap v4 pool reverts. */
    | 'hook-refused'
    | 'payment-failed'
    | 'balance-unreadable'
    | 'arrived-short'
    | 'worth-nothing'
    | 'pull-returned-other'
    | 'reverted'
    | 'out-of-gas'
    | 'over-usual-gas';
  /** Sanitized text of the revert; null without one. */
  text: string | null;
  sent: bigint;
  arrived: bigint;
}

/** The swap of a trade as the pool made it, without what its hook took or added. */
export interface PoolSwap {
  /** Base units of the asset that was sold and of the one that was bought. */
  in: bigint;
  out: bigint;
  /** The fee of this swap in pips, for the liquidity and the protocol. */
  feePips: number;
  /** The hook sets the fee, for each swap if it likes. */
  isDynamic: boolean;
}

export type StepResult =
  | { action: 'buy'; ok: true; paid: bigint; nominal: bigint; received: bigint; swap?: PoolSwap | undefined }
  | {
      action: 'sell';
      ok: true;
      sent: bigint;
      arrived: bigint;
      quoted: bigint;
      received: bigint;
      swap?: PoolSwap | undefined;
    }
  | { action: 'balance' | 'supply'; ok: true; value: bigint }
  | { action: 'approve' | 'transfer' | 'route'; ok: true; returned: boolean | null }
  | { action: 'call'; ok: true; gasUsed: bigint | null }
  | { action: Step['action']; ok: false; refusal: Refusal };

/**
 * `unread`: the node did not run the simulation, so it is no evidence about the token. `waits`: as in `Scenario`; absent for
 * trades in one call.
 */
export type ScenarioResult =
  | { status: 'ran'; name: string; steps: { step: Step; result: StepResult }[]; waits?: Scenario['waits'] }
  | { status: 'unread'; name: string; reason: string };

/** The block that a simulation starts from. For `latest`, number and timestamp are predicted (`predictHead`). */
export interface SimulationBase {
  block: `0x${string}` | 'latest';
  number: bigint;
  /** Seconds since the epoch. */
  timestamp: bigint;
  baseFee: bigint;
  /** The chain's coinbase. A token can detect a node's default. */
  coinbase: LowerAddress | undefined;
  /** The block's prevrandao. A token can detect a node's default. */
  prevRandao: `0x${string}` | undefined;
}

/** Usual tip of wallets on Base, in wei per gas. */
const usualTip = 1_000_000n;

/**
 * Wei per gas with a tip of half to twice the usual one. Drawn for each block: a token could recognise a fixed tip, and
 * accept only that and the larger ones of `drawTip`.
 */
export const ordinaryGasPrice = ({
  baseFee,
  prevRandao = '0x',
}: Pick<SimulationBase, 'baseFee' | 'prevRandao'>): bigint =>
  baseFee + usualTip / 2n + (BigInt(drawFrom(prevRandao)) % ((3n * usualTip) / 2n));

/**
 * Draws wei per gas in addition to the usual tip: 2 to 64 times the usual, each doubling equally likely. Tokens may limit
 * the tip. One token gets the same tip in all simulations after one block, so that they agree.
 */
export function drawTip(token: LowerAddress, { prevRandao = '0x' }: Pick<SimulationBase, 'prevRandao'>): bigint {
  const drawn = BigInt(drawFrom(token, prevRandao));
  const least = usualTip << (1n + (drawn % 5n));
  return least + ((drawn >> 8n) % least);
}

/** A pool to trade in, and the amounts. */
export interface TradePlan {
  pool: TradePool;
  venue: string;
  /** The requested size, or as much as the pool can fill. Base units of the counter-asset. */
  spend: bigint;
  /** Ten times the size, or as much as the pool can fill. A token's limits affect larger trades first. */
  large: bigint;
  /** Amount of the token that `spend` buys at the pool's price. Base units. */
  worth: bigint;
  /** The account that provides the counter-asset; null if that is the wrapped native token. */
  funder: LowerAddress | null;
  /** Native coin worth `spend`, and its wrapped token. null: the worth is unknown. */
  native: { amount: bigint; wrapped: LowerAddress } | null;
}
