import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  maxUint256,
  parseAbi,
  zeroAddress,
} from 'viem';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { toPlanLeg } from '../../../contracts/planLeg.ts';
import { toLowerAddress } from '../../lowerAddress.ts';
import { hasSwapHook } from '../../venues/uniswapV4/poolKey.ts';
import type { Leg } from '../quoteTypes.ts';
import { checkPool, type VenueFacts } from './checkPool.ts';
import type { ExecutorMemory } from './executorState.ts';

/** A leg of a plan, without the amounts of the quote. */
export type SwapLeg = Omit<Leg, 'amountIn' | 'amountOut'>;

/** A quote to execute, and how. Base units; `deadline` in unix seconds. */
export interface TransactionOrder {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
  amountOut: bigint;
  legs: readonly SwapLeg[];
  receiver: Address;
  slippageBps: number;
  deadline: bigint;
  /** The quote has the flag ROUTER_DEPENDENT. */
  isRouterDependent?: boolean;
}

/** An allowance that the transaction needs, and the transaction that grants it. */
interface Approval {
  token: Address;
  spender: Address;
  amount: bigint;
  to: Address;
  data: Hex;
}

export interface BuiltTransaction {
  chainId: number;
  to: Address;
  data: Hex;
  value: bigint;
  approvals: Approval[];
  minAmountOut: bigint;
  executor: { address: Address; codeHash: Hex };
  warnings: string[];
}

/** The order cannot be executed. `path` is the dotted path of the field. */
export class TransactionOrderError extends Error {
  override readonly name = 'TransactionOrderError';
  constructor(
    readonly path: string,
    message: string,
  ) {
    super(message);
  }
}

export interface TransactionFacts extends VenueFacts {
  chainId: number;
  /** Milliseconds since the epoch. */
  now: number;
  /** See `ExecutorMemory`. */
  isRefused: ExecutorMemory['isRefused'];
}

/**
 * Builds the transaction that executes a quote through the executor, without the chain.
 * @throws {TransactionOrderError} the executor would revert, a token refuses it, or a pool is not the one that its venue has
 * for the tokens
 */
export function buildTransaction(order: TransactionOrder, facts: TransactionFacts): BuiltTransaction {
  assertOrder(order, facts);
  // Another replica may have made the quote, so the request's flags count too.
  if (order.isRouterDependent || facts.isRefused(toLowerAddress(order.tokenIn), toLowerAddress(order.tokenOut)))
    throw new TransactionOrderError('route', refused);
  const warnings = order.legs.flatMap((leg, index) => checkLeg(leg, `route.legs.${index}`, facts));
  const minAmountOut = (order.amountOut * BigInt(10_000 - order.slippageBps) + 9_999n) / 10_000n;
  if (minAmountOut === 0n)
    throw new TransactionOrderError('slippageBps', 'The minimum would be 0 base units. Send a smaller slippageBps.');
  const address = getAddress(executorDeployment.executor.address);
  const token = getAddress(order.tokenIn);
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [address, order.amountIn] });
  return {
    chainId: facts.chainId,
    to: address,
    data: encodeExecute(order, minAmountOut, facts),
    value: 0n,
    approvals: [{ token, spender: address, amount: order.amountIn, to: token, data: approve }],
    minAmountOut,
    executor: { address, codeHash: executorDeployment.executor.codeHash },
    warnings,
  };
}

const refused =
  'A token of the route refuses the executor (ROUTER_DEPENDENT), so the transaction would revert. Use a published router: toTransaction of truefill-client.';

/** Rejects what the executor would revert. @throws {TransactionOrderError} */
function assertOrder({ legs, receiver, deadline, ...order }: TransactionOrder, { now }: TransactionFacts): void {
  const reject = (path: string, message: string): never => {
    throw new TransactionOrderError(path, message);
  };
  const [sold, bought] = [toLowerAddress(order.tokenIn), toLowerAddress(order.tokenOut)];
  if (legs.length === 0 || order.amountOut === 0n) reject('route', 'The quote has no route: nothing can be executed.');
  if (sold === bought) reject('tokenOut', 'Must differ from tokenIn.');
  for (const field of ['amountIn', 'amountOut'] as const)
    if (order[field] === 0n || order[field] > maxUint256) reject(field, 'Must be from 1 to 2^256 - 1 base units.');
  const seconds = BigInt(Math.floor(now / 1000));
  if (deadline <= seconds) reject('deadline', `Must be later than ${seconds}, the time now in unix seconds.`);
  const to = toLowerAddress(receiver);
  if (BigInt(receiver) === 0n || to === toLowerAddress(executorDeployment.executor.address))
    reject('receiver', 'Must be an account: neither 0x0 nor the executor.');
  const available = new Set([sold]);
  for (const [index, leg] of legs.entries()) {
    const [legIn, legOut] = [toLowerAddress(leg.tokenIn), toLowerAddress(leg.tokenOut)];
    const at = `route.legs.${index}`;
    if (!available.has(legIn) || legIn === bought)
      reject(`${at}.tokenIn`, 'Must be tokenIn, or a token that an earlier leg buys, and not tokenOut.');
    if (legOut === sold || legOut === legIn)
      reject(`${at}.tokenOut`, 'Must be neither tokenIn nor the token it sells.');
    available.add(legOut);
  }
  if (!available.has(bought)) reject('route', 'No leg buys tokenOut.');
}

/** @returns what is not known about the leg's pool */
function checkLeg(leg: SwapLeg, path: string, facts: TransactionFacts): string[] {
  const { dex, venue, pool, poolKey } = leg;
  if ((dex === 'uniswap-v4') !== (poolKey !== undefined))
    throw new TransactionOrderError(`${path}.poolKey`, 'Required on uniswap-v4, and only there.');
  const isId = pool.length === 66;
  if (isId !== (dex === 'uniswap-v4' || dex === 'balancer-v2'))
    throw new TransactionOrderError(`${path}.pool`, `A pool of ${dex} is ${isId ? 'an address' : 'a 32-byte id'}.`);
  switch (checkPool(leg, facts)) {
    case 'unknown venue':
      throw new TransactionOrderError(`${path}.venue`, `${facts.chain} has no venue of this name and family.`);
    case 'not of the venue':
      throw new TransactionOrderError(
        `${path}.pool`,
        `${pool} is not the pool of ${venue} for these tokens and this fee. A pool of a custom deployer cannot be verified either.`,
      );
    case 'no formula':
      return [
        `The pool ${pool} of ${venue} cannot be derived from its factory. Verify that it is the pool of the quote.`,
      ];
    case 'confirmed':
      return poolKey && hasSwapHook(poolKey.hooks)
        ? [`The hook ${poolKey.hooks} of pool ${pool} acts on the swap. It can change the amount down to minAmountOut.`]
        : [];
  }
}

/** `execute` of contracts/executor/IExecutor.sol. The artifact also contains its code, which the service does not need. */
const executeAbi = parseAbi([
  'struct PlanLeg { uint256 kind; address pool; address tokenIn; address tokenOut; uint256 fee; int256 spacing; address hooks; uint256 shareBps; }',
  'struct ExecutorPlan { address tokenIn; address tokenOut; uint256 amountIn; address native; uint256 payment; bool nativeOut; bytes permit; PlanLeg[] legs; }',
  'function execute(ExecutorPlan plan, uint256 minAmountOut, address to, uint256 deadline) payable returns (uint256)',
]);

/** The calldata of `execute`, paid by the caller's allowance. */
function encodeExecute(
  order: TransactionOrder,
  minAmountOut: bigint,
  { wrappedNative: native, venues }: VenueFacts,
): Hex {
  const { tokenIn, tokenOut, amountIn } = order;
  const poolManager = venues.find((row) => row.family === 'uniswap-v4')?.manager ?? zeroAddress;
  const legs = order.legs.map((leg) => toPlanLeg(leg, poolManager));
  const plan = { tokenIn, tokenOut, amountIn, native, payment: 0n, nativeOut: false, permit: '0x', legs } as const;
  const args = [plan, minAmountOut, order.receiver, order.deadline] as const;
  return encodeFunctionData({ abi: executeAbi, functionName: 'execute', args });
}
