const windowMs = 60_000;

/**
 * So many paid tries a minute for each wallet. All windows end together, so that nothing of a minute that is over
 * stays in memory.
 * @returns seconds to wait for a wallet that has had its share, else undefined
 */
export function createPayerLimit(triesPerMinute: number, now: () => number): (payer: string) => number | undefined {
  const tries = new Map<string, number>();
  let endsAt = 0;
  return (payer) => {
    const at = now();
    if (at >= endsAt) {
      tries.clear();
      endsAt = at + windowMs;
    }
    const wallet = payer.toLowerCase();
    const count = (tries.get(wallet) ?? 0) + 1;
    tries.set(wallet, count);
    return count > triesPerMinute ? Math.ceil((endsAt - at) / 1000) : undefined;
  };
}
