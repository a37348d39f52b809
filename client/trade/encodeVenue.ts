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
  routes: readonly Leg[][];
  taker: Address;
  slippageBps: number;
  deadline: bigint;
}

/**
 * Encodes the call of a venue's own router. Routers of concentrated pools execute several routes in one multicall, each
 * with its own minimum. Routers of pairs execute one route.
 * @throws {NoSingleTransactionError} the router cannot execute the plan in one transaction
 */
export function encodeVenue(order: VenueOrder): { to: Address; data: Hex } {
  const { router, routes } = order;
  if (router.kind === 'v2' || router.kind === 'aerodrome') {
    const [route, ...others] = routes;
    if (!route || others.length > 0) {
      throw new NoSingleTransactionError(
        `The router of ${order.venue} cannot execute a split route in one transaction.`,
      );
    }
    return { to: router.router, data: encodePairs(order, route) };
  }
  if (router.kind === 'balancer') return { to: router.router, data: encodeBatchSwap(order) };
  const paths = routes.map((route) => encodePath(order, route));
  const [to] = paths.map((path) => path.router);
  if (!to || paths.some((path) => path.router !== to)) {
    throw new NoSingleTransactionError(`The legs on ${order.venue} need more than one of its routers.`);
  }
  const calls = paths.map(({ path }, index) => {
    const route = routes[index] as Leg[];
    const params = {
      path,
      recipient: order.taker,
      deadline: order.deadline,
      amountIn: route[0]?.amountIn ?? 0n,
      minOut: afterSlippage(route.at(-1)?.amountOut ?? 0n, order.slippageBps),
    };
    return encodeFunctionData({ abi: pathAbi, functionName: 'exactInput', args: [params] });
  });
  const [call, ...more] = calls as [Hex, ...Hex[]];
  if (more.length === 0) return { to, data: call };
  return { to, data: encodeFunctionData({ abi: pathAbi, functionName: 'multicall', args: [calls] }) };
}

/** Uses the function that measures balances, because it also supports tokens with a transfer tax. */
function encodePairs({ router, venue, taker, slippageBps, deadline }: VenueOrder, route: readonly Leg[]): Hex {
  const [first, last] = [route[0], route.at(-1)];
  const amounts = [first?.amountIn ?? 0n, afterSlippage(last?.amountOut ?? 0n, slippageBps)] as const;
  const functionName = 'swapExactTokensForTokensSupportingFeeOnTransferTokens';
  if (router.kind === 'aerodrome') {
    const hops = route.map(({ tokenIn, tokenOut, pool }) => {
      const stable = findStable(router, pool, [tokenIn, tokenOut]);
      if (stable === undefined) throw unknownPool(venue, pool);
      return { from: tokenIn, to: tokenOut, stable, factory: router.factory };
    });
    return encodeFunctionData({ abi: aerodromeAbi, functionName, args: [...amounts, hops, taker, deadline] });
  }
  const path = [...route.map(({ tokenIn }) => tokenIn), ...(last ? [last.tokenOut] : [])];
  return encodeFunctionData({ abi: v2Abi, functionName, args: [...amounts, path, taker, deadline] });
}

function encodePath({ router, venue }: VenueOrder, route: readonly Leg[]): { router: Address; path: Hex } {
  let to: Address | undefined;
  const hops = route.map(({ tokenIn, tokenOut, feePips, pool }) => {
    switch (router.kind) {
      case 'v3':
        to = router.router;
        return encodePacked(['uint24', 'address'], [feePips, tokenOut]);
      case 'algebra':
        to = router.router;
        return tokenOut;
      case 'algebra-integral':
        to = router.router;
        // Deployer 0x0 is the pair's standard pool, the only one that quotes use.
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
        throw new TypeError(`A ${router.kind} router accepts no path.`);
    }
  });
  const [first] = route;
  if (!first || !to) throw new TypeError('A route must have at least one leg.');
  return { router: to, path: concat([first.tokenIn, ...hops]) };
}

const unknownPool = (venue: string, pool: string) =>
  new NoSingleTransactionError(`No known router of ${venue} can swap in pool ${pool}.`);
