import type { QuoteOutput } from '../../router/index.ts';

/** A measured fill: the average price of an order of this size, in whole tokens. */
interface Fill {
  size: number;
  price: number;
  label: string;
}

export interface DepthCurve {
  /** Measured fills, by size. */
  fills: Fill[];
  /** Average price of an order of any size up to the largest measured one. */
  priceAt(size: number): number;
  /** Largest size of the curve. */
  far: number;
}

/**
 * The price by size, through the fills that the answer contains: this order, the same order twice, and the size at which the
 * price is 1 % lower. Between them 1/price is linear in the size, which is exact for constant-product liquidity.
 */
export function toDepthCurve(quote: QuoteOutput): DepthCurve | undefined {
  const { spotPrice, executablePrice, depthAtSize, worstCaseSlippageBps } = quote;
  const size = Number(quote.amountIn) / 10 ** quote.decimals.in;
  if (!(size > 0 && executablePrice > 0)) return undefined;
  const second =
    spotPrice === null || worstCaseSlippageBps === null || worstCaseSlippageBps >= 10_000
      ? undefined
      : spotPrice * (1 - worstCaseSlippageBps / 10_000);
  const fills: Fill[] = [{ size, price: executablePrice, label: 'Your order' }];
  if (second !== undefined && second > 0)
    fills.push({ size: size * 2, price: (executablePrice + second) / 2, label: 'Two such orders' });
  // Points closer than this count as one.
  if (depthAtSize > size * 1.02)
    fills.push({ size: depthAtSize, price: executablePrice * 0.99, label: '1 % below your price' });
  fills.sort((a, b) => a.size - b.size);
  const first = fills[0];
  const last = fills.at(-1);
  if (!first || !last) return undefined;
  return { fills, far: last.size, priceAt: (at) => interpolate(fills, at) };
}

/** Linear in 1/price; before the first fill the first segment continues, with one fill the price is flat. */
function interpolate(fills: readonly Fill[], size: number): number {
  const next = fills.findIndex((fill, index) => index > 0 && fill.size >= size);
  const right = fills[next < 0 ? fills.length - 1 : next];
  const left = fills[(next < 0 ? fills.length - 1 : next) - 1];
  if (!right) return Number.NaN;
  if (!left || left.size === right.size) return right.price;
  const part = (size - left.size) / (right.size - left.size);
  return 1 / (1 / left.price + part * (1 / right.price - 1 / left.price));
}
