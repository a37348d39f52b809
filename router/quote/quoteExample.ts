import { quoteExampleRequest } from './quoteInput.ts';
import type { QuoteOutput } from './quoteOutput.ts';
import { disclaimer, toWireFlag } from './toWire.ts';

/** The answer to the example request. A test validates it with the schema. */
export const quoteExampleAnswer: QuoteOutput = {
  chain: 'base',
  tokenIn: quoteExampleRequest.tokenIn,
  tokenOut: quoteExampleRequest.tokenOut,
  amountIn: '1500000000000000000',
  amountOut: '4496180331',
  executablePrice: 2997.453554,
  spotPrice: 3000.12,
  priceImpactBps: 8.89,
  depthAtSize: 42.5,
  worstCaseSlippageBps: 12.73,
  route: {
    dex: 'uniswap-v3',
    path: [quoteExampleRequest.tokenIn, quoteExampleRequest.tokenOut],
    pools: ['0xd0b53D9277642d899DF5C87A3966A349A798F224'],
    legs: [
      {
        dex: 'uniswap-v3',
        venue: 'uniswap-v3',
        pool: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
        tokenIn: quoteExampleRequest.tokenIn,
        tokenOut: quoteExampleRequest.tokenOut,
        feePips: 500,
        amountIn: '1500000000000000000',
        amountOut: '4496180331',
        shareBps: 10_000,
      },
    ],
  },
  confidence: 'high',
  venuesConsidered: 14,
  flags: [
    toWireFlag({
      code: 'ROUTE_GAS',
      severity: 'info',
      message: 'The swaps of this route use 106399 gas; the transaction and its router need more.',
      facts: { gas: 106_399, gasUsd: 0.0032, valueInUsd: 4500.18, valueOutUsd: 4496.18 },
    }),
  ],
  blockNumber: '38211450',
  decimals: { in: 18, out: 6 },
  disclaimer,
  ts: 1795254662000,
  validUntil: 1795254666000,
};
