import { type Address, encodeFunctionData, erc20Abi, getAddress, type Hex, parseAbi } from 'viem';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { chainFacts } from '../chains/index.ts';
import type { Quote } from '../wire.ts';
import { assertExpected, type ExpectedTrade } from './assertExpected.ts';
import { encodeUniversal } from './encodeUniversal.ts';
import { encodeVenue } from './encodeVenue.ts';
import { NoSingleTransactionError } from './errors.ts';
import { type ExecutorPayment, encodeExecutor } from './executorTransaction.ts';
import { afterSlippage, isSameAddress, type Plan, toPlan, toRoutes } from './plan.ts';
import { type ChainRouters, permit2, routersOf } from './routers.ts';

export interface TransactionOptions extends ExecutorPayment {
  /**
   * `executor`: truefill's executor, which executes every quote and checks the minimum of the whole. It is not audited.
   * `router`: a published router, which executes some quotes. Default: `executor` if the deployed executor of this release
   * executed the quote (`executor` of the flag ROUTE_GAS), otherwise `router`.
   */
  via?: 'router' | 'executor';
  /** The account that sends the transaction, pays tokenIn and receives tokenOut. */
  taker: Address;
  /** Maximum shortfall of the received amount below amountOut, in basis points: 50 is 0.5 %. Applies to each final leg. */
  slippageBps: number;
  /** What the caller asked for. Without it, tokens, chain and amounts are those that the service returned. */
  expected?: ExpectedTrade;
  /** Unix seconds after which the router reverts. Default: 20 minutes from now. */
  deadline?: number;
}

/** An allowance that the swap needs, and the transaction that grants it. Skip it if the allowance exists. */
export interface Approval {
  token: Address;
  spender: Address;
  amount: bigint;
  /** Recipient of the transaction: the token, or Permit2 for the Universal Router's allowance. */
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
  /** Base units of tokenOut. The router reverts if the taker would receive less. */
  minAmountOut: bigint;
}

const permit2Abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)']);
const defaultDeadlineSeconds = 20 * 60;

/**
 * Builds the transaction that executes a quote through a published router, or through the executor. Legs on uniswap-v2, -v3 and -v4 use Uniswap's
 * Universal Router; legs on any other venue use its own router. The native coin is traded as its wrapped token, unless
 * the options of the executor select it. Reads nothing from the chain.
 * @throws {NoSingleTransactionError} no known router executes the whole plan in one transaction
 * @throws {UnexpectedQuoteError} the quote trades something else than `expected`
 * @throws {RangeError} slippageBps is not a whole number from 0 to 10000
 */
export function toTransaction(quote: Quote, options: TransactionOptions): SwapTransaction {
  const { slippageBps, deadline = Math.floor(Date.now() / 1000) + defaultDeadlineSeconds } = options;
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000) {
    throw new RangeError(`slippageBps must be a whole number from 0 to 10000, got ${slippageBps}.`);
  }
  const taker = getAddress(options.taker);
  if (options.expected) assertExpected(quote, slippageBps, options.expected);
  const plan = toPlan(quote);
  const chainRouters = routersOf(quote.chain);
  if ((options.via ?? (isProvenByExecutor(quote) ? 'executor' : 'router')) === 'executor')
    return viaExecutor(quote, { ...options, taker, deadline }, plan);
  const venue = assertOneRouter(plan, chainRouters);
  if (quote.flags.some(({ code }) => code === 'CUSTOM_POOL')) {
    throw new NoSingleTransactionError(
      'The route uses a pool of a custom deployer, in which no known router can swap.',
    );
  }
  const router = chainRouters.venues[venue];
  const minAmountOut = afterSlippage(BigInt(quote.amountOut), slippageBps);
  const base = { chainId: chainFacts[quote.chain].chainId, value: 0n, minAmountOut };

  if (!router || router.kind === 'universal') {
    assertMinimumHolds(quote, plan);
    const { wrappedNative, universalRouter: to } = chainRouters;
    const data = encodeUniversal({ plan, wrappedNative, taker, slippageBps, deadline: BigInt(deadline) });
    return { ...base, to, data, approvals: permit2Approvals(plan, to, deadline) };
  }
  const routes = toRoutes(plan);
  if (!routes) {
    throw new NoSingleTransactionError(
      `The router of ${venue} cannot execute this plan: several legs buy or sell the same intermediate token.`,
    );
  }
  if (router.kind !== 'v2' && router.kind !== 'aerodrome') assertMinimumHolds(quote, plan);
  const { to, data } = encodeVenue({ venue, router, routes, taker, slippageBps, deadline: BigInt(deadline) });
  return { ...base, to, data, approvals: [tokenApproval(plan, to)] };
}

/** Whether this release's executor executed the quote: its plan, its code and its address are those of the transaction. */
export function isProvenByExecutor({ flags }: Pick<Quote, 'flags'>): boolean {
  const address: string = executorDeployment.executor.address;
  return flags.some(
    ({ code, executor }) => code === 'ROUTE_GAS' && typeof executor === 'string' && isSameAddress(executor, address),
  );
}

/** @throws {NoSingleTransactionError} the quote has no route, pays nothing, or a token refuses the executor */
function viaExecutor(quote: Quote, options: TransactionOptions & { deadline: number }, plan: Plan): SwapTransaction {
  const { taker, slippageBps, deadline, payment = 'allowance' } = options;
  if (plan.legs.length === 0) throw new NoSingleTransactionError('The quote has no route.');
  if (quote.flags.some(({ code }) => code === 'ROUTER_DEPENDENT'))
    throw new NoSingleTransactionError('A token of the route refuses the executor (ROUTER_DEPENDENT). Use a router.');
  const chain = routersOf(quote.chain);
  const minAmountOut = afterSlippage(BigInt(quote.amountOut), slippageBps);
  if (minAmountOut === 0n) throw new NoSingleTransactionError('The executor needs a minimum of at least 1 base unit.');
  const isNative = (token: Address) => isSameAddress(token, chain.wrappedNative);
  if ((payment === 'native' && !isNative(plan.tokenIn)) || (options.nativeOut && !isNative(plan.tokenOut))) {
    throw new NoSingleTransactionError(`The native coin can only replace ${chain.wrappedNative}.`);
  }
  const common = { plan, chain, receiver: taker, minAmountOut, deadline: BigInt(deadline) };
  const { permit = '0x', nativeOut = false } = options;
  const call = encodeExecutor({ ...common, payment, permit, nativeOut });
  const approvals = {
    allowance: () => (permit === '0x' ? [tokenApproval(plan, call.to)] : []),
    permit2: () => (permit === '0x' ? permit2Approvals(plan, call.to, deadline) : [tokenApproval(plan, permit2)]),
    native: () => [],
  };
  return { chainId: chainFacts[quote.chain].chainId, ...call, minAmountOut, approvals: approvals[payment]() };
}

/** The venue whose router executes all legs; for the Universal Router, any of Uniswap's venues. */
function assertOneRouter({ legs }: Plan, { venues }: ChainRouters): string {
  const [first] = legs;
  if (!first) throw new NoSingleTransactionError('The quote has no route.');
  const unknown = legs.find(({ venue }) => !venues[venue]);
  if (unknown) throw new NoSingleTransactionError(`${unknown.venue} has no known router.`);
  const isUniversal = ({ venue }: { venue: string }) => venues[venue]?.kind === 'universal';
  if (!legs.every(isUniversal) && legs.some(({ venue }) => venue !== first.venue)) {
    const names = [...new Set(legs.map(({ venue }) => venue))].join(', ');
    throw new NoSingleTransactionError(`The legs are on ${names}; no known router executes them in one transaction.`);
  }
  return first.venue;
}

/**
 * Asserts that the router enforces the minimum. Routers compare it with the output that a concentrated pool reports, so the
 * taker of a token with a transfer tax would receive less. For v2 pairs the routers measure balances.
 * @throws {NoSingleTransactionError}
 */
function assertMinimumHolds({ flags, tokenOut }: Quote, { legs }: Plan): void {
  const finals = legs.filter((leg) => leg.tokenOut === tokenOut);
  const isTaxed = flags.some(
    ({ code, side, token }) => code === 'TRANSFER_TAX' && side === 'buy' && token === tokenOut,
  );
  const isMeasured = finals.every(({ venue }) => venue === 'uniswap-v2');
  if (isTaxed && !isMeasured) {
    throw new NoSingleTransactionError(
      `${tokenOut} has a transfer tax, and the router compares the minimum with the amount before tax.`,
    );
  }
}

function tokenApproval({ tokenIn, amountIn }: Plan, spender: Address): Approval {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amountIn] });
  return { token: tokenIn, spender, amount: amountIn, to: tokenIn, data };
}

/** Two approvals: the token approves Permit2, and Permit2 approves the router until the deadline. */
function permit2Approvals(plan: Plan, router: Address, deadline: number): Approval[] {
  const { tokenIn, amountIn } = plan;
  if (amountIn >> 160n !== 0n)
    throw new NoSingleTransactionError(`Permit2 cannot transfer ${amountIn} base units: its amounts have 160 bits.`);
  const args = [tokenIn, router, amountIn, deadline] as const;
  const data = encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args });
  return [tokenApproval(plan, permit2), { token: tokenIn, spender: router, amount: amountIn, to: permit2, data }];
}
