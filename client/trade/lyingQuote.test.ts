import { type Address, decodeFunctionData, zeroAddress } from 'viem';
import { expect, test } from 'vitest';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { toTransaction, UnexpectedQuoteError } from '../index.ts';
import type { Quote } from '../wire.ts';
import type { ExpectedTrade } from './assertExpected.ts';

// Quotes of a hostile service. The caller asked to sell 10 USDC for WETH on Base.

const weth: Address = '0x4200000000000000000000000000000000000006';
const usdc: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const other: Address = '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb';
const evil: Address = `0x${'66'.repeat(20)}`;
const taker: Address = `0x${'11'.repeat(20)}`;
const expected: ExpectedTrade = {
  chain: 'base',
  tokenIn: usdc,
  tokenOut: weth,
  maxAmountIn: 10_000_000n,
  minAmountOut: 990n,
};

interface Lie {
  chain?: Quote['chain'];
  tokenIn?: Address;
  tokenOut?: Address;
  amountIn?: string;
  amountOut?: string;
}

function quoteWith({
  chain = 'base',
  tokenIn = usdc,
  tokenOut = weth,
  amountIn = '10000000',
  amountOut = '1000',
}: Lie) {
  const amounts = { amountIn, amountOut, shareBps: 10_000, feePips: 0 };
  const leg = { dex: 'uniswap-v3', venue: 'uniswap-v3', pool: evil, tokenIn, tokenOut, ...amounts };
  const route = { dex: 'uniswap-v3', path: [tokenIn, tokenOut], pools: [evil], legs: [leg] };
  return { chain, tokenIn, tokenOut, amountIn, amountOut, flags: [], route } as Partial<Quote> as Quote;
}

test.each<[string, Lie]>([
  ['another token to sell', { tokenIn: other }],
  ['another token to buy', { tokenOut: other }],
  ['a larger amount', { amountIn: '10000001' }],
  ['another chain', { chain: 'polygon' }],
  ['a lower output', { amountOut: '993' }],
])('rejects a quote with %s than the caller expects', (_, lie) => {
  for (const via of ['executor', 'router'] as const) {
    const build = () => toTransaction(quoteWith(lie), { taker, slippageBps: 50, via, expected });
    expect(build).toThrow(UnexpectedQuoteError);
  }
});

test('only the pools come from the quote: receiver, native coin, minimum and approval do not', () => {
  const options = { taker, slippageBps: 50, via: 'executor', expected } as const;
  const { data, to, approvals, minAmountOut, value } = toTransaction(quoteWith({}), options);
  const { args } = decodeFunctionData({ abi: executorArtifact.abi, data });
  const [plan, minimum, receiver] = args as unknown as [
    { tokenIn: Address; native: Address; permit: string },
    bigint,
    Address,
  ];
  expect([minAmountOut, minimum, receiver.toLowerCase(), value]).toEqual([995n, 995n, taker, 0n]);
  expect([plan.tokenIn, plan.native, plan.permit]).toEqual([usdc, weth, '0x']);
  expect(approvals).toMatchObject([{ to: usdc, spender: to, amount: 10_000_000n }]);
});

test('accepts the native coin for its wrapped token, and addresses in any letter case', () => {
  const native: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
  for (const tokenOut of [native, weth.toLowerCase() as Address]) {
    const options = { taker, slippageBps: 50, via: 'executor', expected: { ...expected, tokenOut } } as const;
    expect(toTransaction(quoteWith({}), options).minAmountOut).toBe(995n);
  }
  expect(() =>
    toTransaction(quoteWith({}), { taker, slippageBps: 0, expected: { ...expected, tokenOut: zeroAddress } }),
  ).toThrow(UnexpectedQuoteError);
});
