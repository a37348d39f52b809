import type { Address } from 'viem';
import { expect } from 'vitest';
import type { QuoteAnswer } from '../../engine/index.ts';
import type { SandboxChain, SandboxWallet } from '../../sandbox/index.ts';
import { executed } from '../engine/executed.ts';
import type { EngineOnChain } from '../engine/market.ts';

/**
 * Quotes on Base, and expects a reply of less than 120,000 bytes, mostly ticks: no contract that the lens calls may
 * lengthen its result.
 */
export async function quoteBounded(
  engineOnBase: EngineOnChain,
  tokenIn: Address,
  tokenOut: Address,
  size: string,
): Promise<QuoteAnswer> {
  const answer = await engineOnBase.engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });
  expect(engineOnBase.endpoint.lastBytes.received).toBeLessThan(120_000);
  return answer;
}

/** Expects that a transaction along the quoted legs pays the quoted amount. */
export async function expectExecutable(chain: SandboxChain, answer: QuoteAnswer, wallet: SandboxWallet): Promise<void> {
  const execution = await executed(chain, answer.route.legs, answer.amountIn, wallet);
  expect(execution?.received).toBe(answer.amountOut);
}
