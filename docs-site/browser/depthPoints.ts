import type { QuoteOutput } from '../../router/index.ts';

/** The average price of an order of this size, in whole tokens. */
export interface DepthPoint {
  size: number;
  price: number;
  label: string;
  /** `fill`: this size fills at this price. `bound`: the price is reached at this size or later. */
  kind: 'fill' | 'bound';
}

/**
 * What an answer states about the price by size: the fill of this order, the fill of the same order twice, and a lower
 * bound of the size that moves the price by 1 %. It states nothing about sizes between them.
 */
export function toDepthPoints(quote: QuoteOutput): DepthPoint[] {
  const { spotPrice, executablePrice, depthAtSize, worstCaseSlippageBps } = quote;
  const size = Number(quote.amountIn) / 10 ** quote.decimals.in;
  if (!(size > 0 && executablePrice > 0)) return [];
  const points: DepthPoint[] = [{ size, price: executablePrice, label: 'Your order', kind: 'fill' }];
  const second =
    spotPrice === null || worstCaseSlippageBps === null || worstCaseSlippageBps >= 10_000
      ? 0
      : spotPrice * (1 - worstCaseSlippageBps / 10_000);
  if (second > 0)
    points.push({ size: size * 2, price: (executablePrice + second) / 2, label: 'Two such orders', kind: 'fill' });
  // A dot that nearly covers the first one is unreadable.
  if (depthAtSize > size * 1.02)
    points.push({ size: depthAtSize, price: executablePrice * 0.99, label: '1 % below your price', kind: 'bound' });
  return points.sort((a, b) => a.size - b.size);
}
