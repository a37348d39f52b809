import type { RateWindow } from './rateWindow.ts';

/**
 * Limits payment attempts per minute for each wallet, regardless of letter case.
 * @returns seconds until the next attempt is allowed; undefined if it is allowed now
 */
export function createPayerLimit(
  triesPerMinute: number,
  window: RateWindow,
  now: () => number,
): (payer: string) => number | undefined {
  return (payer) => {
    const { hits, endsAt } = window.hit(`wallet:${payer.toLowerCase()}`);
    return hits > triesPerMinute ? Math.max(1, Math.ceil((endsAt - now()) / 1000)) : undefined;
  };
}
