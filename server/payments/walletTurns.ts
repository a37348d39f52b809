import { setTimeout as sleep } from 'node:timers/promises';

/** Payments that wait, in this process, until other payments of their wallet have ended. */
export interface WalletTurns {
  /**
   * Repeats `reserve` until its result is not `full`, or the timeout. The waiting payments of a wallet take turns in their
   * order: only the first one repeats `reserve`.
   */
  reserve<Claim extends { kind: string }>(wallet: string, reserve: () => Promise<Claim>): Promise<Claim>;
  /** Reports that a payment of the wallet ended in this process, so that the first waiting one retries. */
  ended(wallet: string): void;
  /** Ends all waits. */
  close(): void;
}

/** @param pollMs interval of retries, for payments that ended in another replica */
export function createWalletTurns({ timeoutMs, pollMs }: { timeoutMs: number; pollMs: number }): WalletTurns {
  const last = new Map<string, Promise<unknown>>();
  const wake = new Map<string, () => void>();
  let isClosed = false;

  async function repeat<Claim extends { kind: string }>(
    wallet: string,
    reserve: () => Promise<Claim>,
    until: number,
  ): Promise<Claim> {
    let ending = new AbortController();
    wake.set(wallet, () => ending.abort());
    try {
      for (;;) {
        // Created before the reservation, so that a payment that ends during it is not missed.
        ending = new AbortController();
        const claim = await reserve();
        if (claim.kind !== 'full' || isClosed || performance.now() >= until) return claim;
        await sleep(pollMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    } finally {
      wake.delete(wallet);
    }
  }

  return {
    async reserve(wallet, reserve) {
      const until = performance.now() + timeoutMs;
      const before = last.get(wallet);
      if (!before) {
        const claim = await reserve();
        if (claim.kind !== 'full') return claim;
      }
      // Another payment may have started to wait during the reservation.
      const turn = (last.get(wallet) ?? Promise.resolve()).then(() => repeat(wallet, reserve, until));
      const settled = turn.catch(() => undefined);
      last.set(wallet, settled);
      try {
        return await turn;
      } finally {
        if (last.get(wallet) === settled) last.delete(wallet);
      }
    },
    ended: (wallet) => wake.get(wallet)?.(),
    close() {
      isClosed = true;
      for (const end of wake.values()) end();
    },
  };
}
