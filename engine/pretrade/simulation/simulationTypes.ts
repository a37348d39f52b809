import { randomNumber } from '../../chain/lensCall.ts';
import type { LowerAddress } from '../../lowerAddress.ts';

/** A pool to trade a token in, with the addresses that a real wallet would meet there. */
export interface TradePool {
  /** The lens's number (engine/venues/kinds.ts). */
  kind: number;
  /** The pool, or the manager of a singleton. */
  pool: LowerAddress;
  token: LowerAddress;
  counter: LowerAddress;
  fee: number;
  tickSpacing: number;
  hooks: LowerAddress;
  /** The router that a token sees in a sale. */
  router: LowerAddress;
  /** The contract that pulls the token, if it is not the router (Permit2 on singletons). */
  puller: LowerAddress | null;
}

/** When a step happens: in the block of the purchase, the next, about 60 blocks, one day or 400 days later. */
export type Moment = 'purchase' | 'next' | 'later' | 'day' | 'afterYear';

export const moments: readonly Moment[] = ['purchase', 'next', 'later', 'day', 'afterYear'];

export type Step =
  | { what: 'buy'; at: Moment; amount: bigint }
  | { what: 'approve'; at: Moment; who: 'trader' | 'receiver' }
  /** Sells a part of what the wallet then holds. `moreTip`: wei per gas beyond the price of the scenario. */
  | { what: 'sell'; at: Moment; who: 'trader' | 'receiver'; bps: number; moreTip?: bigint }
  | { what: 'transfer'; at: Moment; amount: bigint }
  | { what: 'balance'; at: Moment; who: 'trader' | 'receiver' | LowerAddress }
  | { what: 'supply'; at: Moment }
  /** The trader calls the venue's real router; `sells` is the amount of the token sold, 0 for a purchase. */
  | { what: 'route'; at: Moment; value: bigint; sells: bigint; data: `0x${string}` }
  /** A call by anybody else, to the token. */
  | { what: 'call'; at: Moment; from: LowerAddress; data: `0x${string}` };

/** What a wallet has and allows beside its trades. A token could recognise fixed values. */
export interface Means {
  /** Wei that it holds beyond the price of its purchase and of gas: up to 0.29 ether. */
  spare: bigint;
  /** Gas limit of each transaction. */
  gas: bigint;
}

/** At least 4M gas: enough for any honest trade with swap-back and hooks; beyond it the refusal is `out-of-gas`. */
export const randomMeans = (): Means => ({
  spare: randomNumber(8) >> 6n,
  gas: 4_000_000n + (randomNumber(4) % 2_000_000n),
});

export interface Scenario {
  name: string;
  pool: TradePool;
  /** `bare`: nothing is laid over anything; the router is the chain's own. */
  wallet: 'ordinary' | 'contract' | 'bare';
  /** A fresh address. */
  trader: LowerAddress;
  receiver: LowerAddress;
  /** Wei. */
  gasPrice: bigint;
  means: Means;
  /** The account that gives the counter-asset; null if that is the wrapped native token. */
  funder: LowerAddress | null;
  steps: readonly Step[];
}

/** Why a step did not work, as far as the chain says. `stage` in the words of Payments.sol. */
export interface Refusal {
  stage:
    | 'pull-reverted'
    | 'pull-returned-false'
    | 'pool-refused'
    | 'payment-failed'
    | 'balance-unreadable'
    | 'arrived-short'
    | 'worth-nothing'
    | 'pull-returned-other'
    | 'reverted'
    | 'out-of-gas';
  /** Tamed text of the revert, when there was one. */
  text: string | null;
  sent: bigint;
  arrived: bigint;
}

export type StepResult =
  | { what: 'buy'; ok: true; paid: bigint; nominal: bigint; received: bigint }
  | { what: 'sell'; ok: true; sent: bigint; arrived: bigint; quoted: bigint; received: bigint }
  | { what: 'balance' | 'supply'; ok: true; value: bigint }
  | { what: 'approve' | 'transfer' | 'route'; ok: true; returned: boolean | null }
  | { what: 'call'; ok: true; gasUsed: bigint | null }
  | { what: Step['what']; ok: false; refusal: Refusal };

/** `unread`: the node did not run the simulation; the token is not judged by it. */
export type ScenarioResult =
  | { status: 'ran'; name: string; steps: { step: Step; result: StepResult }[] }
  | { status: 'unread'; name: string; reason: string };

/** The block a simulation starts from. `latest` guesses the head's number from what was seen before. */
export interface SimulationBase {
  block: `0x${string}` | 'latest';
  number: bigint;
  /** Seconds since the epoch. */
  timestamp: bigint;
  baseFee: bigint;
  /** The chain's coinbase, and the prevrandao of a block. A token can recognise the defaults that a node simulates with. */
  maker: LowerAddress | undefined;
  random: `0x${string}` | undefined;
}

/** Wei per gas: wallets on Base usually tip this. */
const usualTip = 1_000_000n;

export const ordinaryGasPrice = ({ baseFee }: SimulationBase): bigint => baseFee + usualTip;

/** Wei per gas beyond the usual tip: 2 to 64 times as much, each doubling equally likely. Tokens may limit the tip. */
export function randomTip(): bigint {
  const least = usualTip << (1n + (randomNumber(1) % 5n));
  return least + (randomNumber(4) % least);
}

/** A pool to trade in and how much counter-asset is spent there. */
export interface TradePlan {
  pool: TradePool;
  venue: string;
  /** At the requested size, or as much as the pool can bear. Base units of the counter-asset. */
  spend: bigint;
  /** Ten times the size, as far as the pool can bear: larger purchases and sales meet limits first. */
  large: bigint;
  /** Base units of the token that `spend` buys, roughly. */
  worth: bigint;
  /** The account that gives the counter-asset; null if that is the wrapped native token. */
  funder: LowerAddress | null;
}
