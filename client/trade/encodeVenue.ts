import { type Address, concat, encodeFunctionData, encodePacked, type Hex, parseAbi, zeroAddress } from 'viem';
import { findSlipstream, findStable } from './clones.ts';
import { encodeBatchSwap } from './encodeBatchSwap.ts';
import { NoSingleTransactionError } from './errors.ts';
import { afterSlippage, type Leg } from './plan.ts';
import type { VenueRouter } from './routers.ts';

const v2Abi = parseAbi([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 minOut, address[] path, address to, uint256 deadline)',
]);
const aerodromeAbi = parseAbi([
  'struct Hop { address from; address to; bool stable; address factory; }',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 minOut, Hop[] routes, address to, uint256 deadline)',
]);
const pathAbi = parseAbi([
  'struct Params { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 minOut; }',
  'function exactInput(Params params) payable returns (uint256)',
  'function multicall(bytes[] data) payable returns (bytes[])',
]);

interface VenueOrder {
  venue: string;
  router: Exclude<VenueRouter, { kind: 'universal' }>;
  chains: readonly Leg[][];
  taker: Address;
  slippageBps: number;
  deadline: bigint;
}

/**
 * Call of a venue's own router. Routers with callbacks accept several routes in one multicall, each with its own minimum;
 * pair routers accept one route.
 * @throws {NoSingleTransactionError}
 */
export function encodeVenue(order: VenueOrder): { to: Address; data: Hex } {
  const { router, chains } = order;
  if (router.kind === 'v2' || router.kind === 'aerodrome') {
    const [chain, ...others] = chains;
    if (!chain || others.length > 0) {
      throw new NoSingleTransactionError(`The router of ${order.venue} cannot divide an order in one transaction.`);
    }
    return { to: router.router, data: encodePairs(order, chain) };
  }
  if (router.kind === 'balancer') return { to: router.router, data: encodeBatchSwap(order) };
  const paths = chains.map((chain) => encodePath(order, chain));
  const [to] = paths.map((path) => path.router);
  if (!to || paths.some((path) => path.router !== to)) {
    throw new NoSingleTransactionError(`The legs on ${order.venue} need more than one of its routers.`);
  }
  const calls = paths.map(({ path }, index) => {
    const chain = chains[index] as Leg[];
    const params = {
      path,
      recipient: order.taker,
      deadline: order.deadline,
      amountIn: chain[0]?.amountIn ?? 0n,
      minOut: afterSlippage(chain.at(-1)?.amountOut ?? 0n, order.slippageBps),
    };
    return encodeFunctionData({ abi: pathAbi, functionName: 'exactInput', args: [params] });
  });
  const [call, ...more] = calls as [Hex, ...Hex[]];
  if (more.length === 0) return { to, data: call };
  return { to, data: encodeFunctionData({ abi: pathAbi, functionName: 'multicall', args: [calls] }) };
}

/** The variant that measures balances: it also supports tokens with a transfer tax. */
function encodePairs({ router, venue, taker, slippageBps, deadline }: VenueOrder, chain: readonly Leg[]): Hex {
  const [first, last] = [chain[0], chain.at(-1)];
  const amounts = [first?.amountIn ?? 0n, afterSlippage(last?.amountOut ?? 0n, slippageBps)] as const;
  const functionName = 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  if (router.kind === 'aerodrome') {
    const hops = chain.map(({ tokenIn, tokenOut, pool }) => {
      const stable = findStable(router, pool, [tokenIn, tokenOut]);
      if (stable === undefined) throw unknownPool(venue, pool);
      return { from: tokenIn, to: tokenOut, stable, factory: router.factory };
    });
    return encodeFunctionData({ abi: aerodromeAbi, functionName, args: [...amounts, hops, taker, deadline] });
  }
  const path = [...chain.map(({ tokenIn }) => tokenIn), ...(last ? [last.tokenOut] : [])];
  return encodeFunctionData({ abi: v2Abi, functionName, args: [...amounts, path, taker, deadline] });
}

function encodePath({ router, venue }: VenueOrder, chain: readonly Leg[]): { router: Address; path: Hex } {
  let to: Address | undefined;
  const hops = chain.map(({ tokenIn, tokenOut, feePips, pool }) => {
    switch (router.kind) {
      case 'v3':
        to = router.router;
        return encodePacked(['uint24', 'address'], [feePips, tokenOut]);
      case 'algebra':
        to = router.router;
        return tokenOut;
      case 'algebra-integral':
        to = router.router;
        // Deployer 0x0: the pair's standard pool, the only one that quotes ask for.
        return concat([zeroAddress, tokenOut]);
      case 'slipstream': {
        const found = findSlipstream(router.generations, pool, [tokenIn, tokenOut]);
        if (!found) throw unknownPool(venue, pool);
        if (to && to !== found.router) {
          throw new NoSingleTransactionError(`The legs on ${venue} need more than one of its routers.`);
        }
        to = found.router;
        return encodePacked(['int24', 'address'], [found.tickSpacing, tokenOut]);
      }
      default:
        throw new TypeError(`${router.kind} takes no path.`);
    }
  });
  const [first] = chain;
  if (!first || !to) throw new TypeError('A chain has at least one leg.');
  return { router: to, path: concat([first.tokenIn, ...hops]) };
}

const unknownPool = (venue: string, pool: string) =>
  new NoSingleTransactionError(`Pool ${pool} is none that the routers of ${venue} reach.`);
