import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterSlippage, type Leg } from './plan.ts';

const abi = parseAbi([
  'struct Step { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function batchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[])',
]);
/** `SwapKind.GIVEN_IN` of Balancer's IVault: the steps' amounts are the amounts sold. */
const givenIn = 0;

interface BatchOrder {
  routes: readonly Leg[][];
  taker: Address;
  slippageBps: number;
  deadline: bigint;
}

/** Encodes `batchSwap` of Balancer's vault. A step with the amount 0 sells the output of the step before it. */
export function encodeBatchSwap({ routes, taker, slippageBps, deadline }: BatchOrder): Hex {
  const legs = routes.flat();
  const assets = [...new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))];
  const steps = routes.flatMap((route) =>
    route.map(({ pool, tokenIn, tokenOut, amountIn }, index) => {
      const [assetInIndex, assetOutIndex] = [BigInt(assets.indexOf(tokenIn)), BigInt(assets.indexOf(tokenOut))];
      return {
        poolId: pool,
        assetInIndex,
        assetOutIndex,
        amount: index === 0 ? amountIn : 0n,
        userData: '0x' as const,
      };
    }),
  );
  const [sold, bought] = [routes[0]?.[0]?.tokenIn, routes[0]?.at(-1)?.tokenOut];
  const amountIn = sum(routes.map((route) => route[0]?.amountIn ?? 0n));
  const amountOut = sum(routes.map((route) => route.at(-1)?.amountOut ?? 0n));
  // Amounts that the taker receives are negative.
  const limits = assets.map((asset) =>
    asset === sold ? amountIn : asset === bought ? -afterSlippage(amountOut, slippageBps) : 0n,
  );
  const funds = { sender: taker, fromInternalBalance: false, recipient: taker, toInternalBalance: false };
  return encodeFunctionData({
    abi,
    functionName: 'batchSwap',
    args: [givenIn, steps, assets, funds, limits, deadline],
  });
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
