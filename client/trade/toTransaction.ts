import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex, parseAbi } from 'viem';
import { chainFacts } from '../chains.ts';
import type { Quote } from '../wire.ts';
import { encodeUniversal } from './encodeUniversal.ts';
import { encodeVenue } from './encodeVenue.ts';
import { NoSingleTransactionError } from './errors.ts';
import { afterSlippage, type Plan, toChains, toPlan } from './plan.ts';
import { type ChainRouters, permit2, routersOf } from './routers.ts';

export interface TransactionOptions {
  /** Sends the transaction, pays tokenIn and receives tokenOut. */
  taker: Address;
  /** How far the received amount may be below amountOut, in basis points: 50 is 0.5 %. */
  slippageBps: number;
  /** Unix seconds after which the router reverts. Default: 20 minutes from now. */
  deadline?: number;
}

/** An allowance that the swap needs, and the transaction that grants it. Skip allowances that exist. */
export interface Approval {
  token: Address;
  spender: Address;
  amount: bigint;
  /** The token, or Permit2 for the allowance that it keeps for the Universal Router. */
  to: Address;
  data: Hex;
}

/** Send the approvals first, in order, then `to`, `data` and `value` from the taker. */
export interface SwapTransaction {
  chainId: number;
  to: Address;
  data: Hex;
  value: bigint;
  approvals: Approval[];
  /** The router reverts when the taker would receive less. */
  minAmountOut: bigint;
}

const permit2Abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)']);
const defaultDeadlineSeconds = 20 * 60;

/**
 * Builds the transaction that executes a quote through a published router: Uniswap's Universal Router for uniswap-v2, -v3
 * and -v4, also for split routes, else the venue's own router. Reads no chain. A native coin is traded as its wrapped token.
 * @throws {NoSingleTransactionError} no known router executes the whole plan in one transaction
 * @throws {RangeError} slippageBps is not a whole number from 0 to 10000
 */
export function toTransaction(quote: Quote, options: TransactionOptions): SwapTransaction {
  const { slippageBps, deadline = Math.floor(Date.now() / 1000) + defaultDeadlineSeconds } = options;
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000) {
    throw new RangeError(`slippageBps must be a whole number from 0 to 10000, got ${slippageBps}.`);
  }
  const taker = getAddress(options.taker);
  const plan = toPlan(quote);
  const chain = routersOf(quote.chain);
  const venue = assertOneRouter(plan, chain);
  if (quote.flags.some(({ code }) => code === 'CUSTOM_POOL')) {
    throw new NoSingleTransactionError('The route has a pool of a custom deployer, which no known router reaches.');
  }
  const router = chain.venues[venue];
  const minAmountOut = afterSlippage(BigInt(quote.amountOut), slippageBps);
  const base = { chainId: chainFacts[quote.chain].chainId, value: 0n, minAmountOut };

  if (!router || router.kind === 'universal') {
    assertMinimumHolds(quote, plan);
    const { wrappedNative, universalRouter: to } = chain;
    const data = encodeUniversal({ plan, wrappedNative, taker, minAmountOut, deadline: BigInt(deadline) });
    return { ...base, to, data, approvals: permit2Approvals(plan, to, deadline) };
  }
  const chains = toChains(plan);
  if (!chains) {
    throw new NoSingleTransactionError(
      `The router of ${venue} cannot execute this plan: a token in between is bought or sold by several legs.`,
    );
  }
  if (router.kind !== 'v2' && router.kind !== 'aerodrome') assertMinimumHolds(quote, plan);
  const { to, data } = encodeVenue({ venue, router, chains, taker, slippageBps, deadline: BigInt(deadline) });
  return { ...base, to, data, approvals: [tokenApproval(plan, to)] };
}

/** The venue whose router executes all legs; any of Uniswap's when it is the Universal Router. */
function assertOneRouter({ legs }: Plan, { venues }: ChainRouters): string {
  const [first] = legs;
  if (!first) throw new NoSingleTransactionError('The quote has no route.');
  const unknown = legs.find(({ venue }) => !venues[venue]);
  if (unknown) throw new NoSingleTransactionError(`No router is known for ${unknown.venue}.`);
  const isUniversal = ({ venue }: { venue: string }) => venues[venue]?.kind === 'universal';
  if (!legs.every(isUniversal) && legs.some(({ venue }) => venue !== first.venue)) {
    const names = [...new Set(legs.map(({ venue }) => venue))].join(', ');
    throw new NoSingleTransactionError(`The legs lie on ${names}; no known router executes them in one transaction.`);
  }
  return first.venue;
}

/**
 * Routers compare the minimum with the output that a pool with callbacks reports. If tokenOut has a transfer tax, the taker
 * receives less, so the minimum would not hold. For pairs the routers measure balances.
 */
function assertMinimumHolds({ flags, tokenOut }: Quote, { legs }: Plan): void {
  const finals = legs.filter((leg) => leg.tokenOut === tokenOut);
  const isTaxed = flags.some(
    ({ code, side, token }) => code === 'TRANSFER_TAX' && side === 'buy' && token === tokenOut,
  );
  const isMeasured = finals.length === 1 && finals[0]?.venue === 'uniswap-v2';
  if (isTaxed && !isMeasured) {
    throw new NoSingleTransactionError(
      `${tokenOut} takes a transfer tax, and the router compares the minimum with the amount before it.`,
    );
  }
}

function tokenApproval({ tokenIn, amountIn }: Plan, spender: Address): Approval {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amountIn] });
  return { token: tokenIn, spender, amount: amountIn, to: tokenIn, data };
}

/** The token lets Permit2 spend, and Permit2 lets the router spend until the deadline. */
function permit2Approvals(plan: Plan, router: Address, deadline: number): Approval[] {
  const { tokenIn, amountIn } = plan;
  if (amountIn >> 160n !== 0n) throw new NoSingleTransactionError(`Permit2 cannot move ${amountIn} base units.`);
  const args = [tokenIn, router, amountIn, deadline] as const;
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args });
  return [tokenApproval(plan, permit2), { token: tokenIn, spender: router, amount: amountIn, to: permit2, data }];
}
