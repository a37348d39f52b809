import type { RateWindow } from './rateWindow.ts';

/**
 * So many paid tries a minute for each wallet, in either letter case.
 * @returns seconds to wait for a wallet that has had its share, else undefined
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
