import type { RateCounts } from '../../storage/index.ts';

export const windowMs = 60_000;
/** Interval of exchanges with other replicas. The limit can be exceeded by the requests of one interval. */
const exchangeMs = 500;

/** Counts the requests of each subject, an address or a wallet, in the current minute. */
export interface RateWindow {
  /** Counts one request, in memory. `endsAt` is in milliseconds since the epoch. */
  hit(subject: string): { hits: number; endsAt: number };
  /** The count so far, without a new request. */
  peek(subject: string): { hits: number; endsAt: number };
  /** Takes one `hit` back. No effect after its window, which `endsAt` identifies, has ended. */
  release(subject: string, endsAt: number): void;
  close(): void;
}

export interface RateWindowOptions {
  now: () => number;
  /** Sums the counts of all replicas; absent with a single process. */
  shared?: RateCounts;
  onFault?: (error: unknown) => void;
}

interface Count {
  /** Counted by all replicas at the last exchange. */
  known: number;
  /** Counted by this process since the last exchange. */
  unsent: number;
}

/**
 * Counts in windows of one minute. `hit` uses memory only: replicas exchange counts in the background. While the database
 * is unavailable, each replica counts alone.
 */
export function createRateWindow({ now, shared, onFault = () => undefined }: RateWindowOptions): RateWindow {
  let start = Number.NEGATIVE_INFINITY;
  let counts = new Map<string, Count>();
  let isExchanging = false;
  /** The last exchange failed. `onFault` is called once per outage. */
  let isAlone = false;

  function begin(at: number): void {
    // Also start a new window when the clock was set back; the current one would last until the clock catches up.
    if (at >= start && at < start + windowMs) return;
    // Replicas derive the same window from the clock. A single process starts it with the first request.
    start = shared ? Math.floor(at / windowMs) * windowMs : at;
    counts = new Map();
  }

  async function exchange(rates: RateCounts): Promise<void> {
    const [sinceStart, own] = [start, counts];
    const sent = [...own].flatMap(([subject, { unsent }]) => (unsent !== 0 ? [{ subject, hits: unsent }] : []));
    if (sent.length === 0) return;
    for (const { subject, hits } of sent) markSent(own, subject, hits);
    try {
      for (const { subject, hits } of await rates.add(sinceStart, sent)) {
        const count = own.get(subject);
        if (count) count.known = hits;
      }
      isAlone = false;
    } catch (error) {
      for (const { subject, hits } of sent) markSent(own, subject, -hits);
      if (!isAlone) onFault(error);
      isAlone = true;
    }
  }

  const exchanging =
    shared &&
    setInterval(async () => {
      if (isExchanging) return;
      isExchanging = true;
      await exchange(shared);
      isExchanging = false;
    }, exchangeMs).unref();

  return {
    hit(subject) {
      begin(now());
      const count = counts.get(subject) ?? { known: 0, unsent: 0 };
      count.unsent += 1;
      counts.set(subject, count);
      return { hits: count.known + count.unsent, endsAt: start + windowMs };
    },
    peek(subject) {
      begin(now());
      const { known = 0, unsent = 0 } = counts.get(subject) ?? {};
      return { hits: known + unsent, endsAt: start + windowMs };
    },
    release(subject, endsAt) {
      begin(now());
      const count = counts.get(subject);
      if (count && endsAt === start + windowMs) count.unsent -= 1;
    },
    close: () => clearInterval(exchanging),
  };
}

/** Moves hits from `unsent` to `known`; negative hits move back. */
function markSent(counts: Map<string, Count>, subject: string, hits: number): void {
  const count = counts.get(subject);
  if (!count) return;
  count.unsent -= hits;
  count.known += hits;
}
