import type { Flag, Leg, QuoteAnswer } from '../../engine/index.ts';
import type { QuoteOutput } from './quoteOutput.ts';

export const disclaimer =
  'Informational on-chain data, read at the stated block. Not financial advice; prices move with the next block.';

/** Converts the engine's answer to JSON: bigints become decimal strings, and the disclaimer is added. */
export function toWire(answer: QuoteAnswer): QuoteOutput {
  return {
    chain: answer.chain,
    tokenIn: answer.tokenIn,
    tokenOut: answer.tokenOut,
    amountIn: answer.amountIn.toString(),
    amountOut: answer.amountOut.toString(),
    executablePrice: answer.executablePrice,
    spotPrice: answer.spotPrice,
    priceImpactBps: answer.priceImpactBps,
    depthAtSize: answer.depthAtSize,
    worstCaseSlippageBps: answer.worstCaseSlippageBps,
    route: { ...answer.route, legs: answer.route.legs.map(toWireLeg) },
    confidence: answer.confidence,
    venuesConsidered: answer.venuesConsidered,
    flags: answer.flags.map(toWireFlag),
    blockNumber: answer.blockNumber.toString(),
    decimals: answer.decimals,
    disclaimer,
    ts: answer.ts,
    validUntil: answer.validUntil,
  };
}

function toWireLeg(leg: Leg): QuoteOutput['route']['legs'][number] {
  return { ...leg, amountIn: leg.amountIn.toString(), amountOut: leg.amountOut.toString() };
}

/** The fixed fields come last, so that facts cannot overwrite them. */
export function toWireFlag({ code, severity, message, facts }: Flag): QuoteOutput['flags'][number] {
  return { ...facts, code, severity, message };
}
