import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterSlippage, type Leg } from './plan.ts';

const abi = parseAbi([
  'struct Step { bytes32 poolId; uint256 assetInIndex; uint256 assetOutIndex; uint256 amount; bytes userData; }',
  'struct Funds { address sender; bool fromInternalBalance; address recipient; bool toInternalBalance; }',
  'function batchSwap(uint8 kind, Step[] swaps, address[] assets, Funds funds, int256[] limits, uint256 deadline) payable returns (int256[])',
]);
/** The amounts are those that the steps sell. */
const givenIn = 0;

interface BatchOrder {
  chains: readonly Leg[][];
  taker: Address;
  slippageBps: number;
  deadline: bigint;
}

/** Routes over pools of Balancer's vault. A step with the amount 0 sells what the step before it bought. */
export function encodeBatchSwap({ chains, taker, slippageBps, deadline }: BatchOrder): Hex {
  const legs = chains.flat();
  const assets = [...new Set(legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))];
  const steps = chains.flatMap((chain) =>
    chain.map(({ pool, tokenIn, tokenOut, amountIn }, index) => {
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
  const [sold, bought] = [chains[0]?.[0]?.tokenIn, chains[0]?.at(-1)?.tokenOut];
  const amountIn = sum(chains.map((chain) => chain[0]?.amountIn ?? 0n));
  const amountOut = sum(chains.map((chain) => chain.at(-1)?.amountOut ?? 0n));
  // What the taker receives has a negative sign.
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
