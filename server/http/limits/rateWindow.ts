import type { RateCounts } from '../../storage/index.ts';

export const windowMs = 60_000;
/** Between two exchanges with the other replicas: what comes within it is all that can be let through too much. */
const exchangeMs = 500;

/** How often each subject came in this minute. */
export interface RateWindow {
  /** Counts one more, from memory. `endsAt` is in milliseconds since the epoch. */
  hit(subject: string): { hits: number; endsAt: number };
  close(): void;
}

export interface RateWindowOptions {
  now: () => number;
  /** Where replicas add up what they saw; absent: this process is alone. */
  shared?: RateCounts;
  onFault?: (error: unknown) => void;
}

interface Count {
  /** By all replicas, as far as is known. */
  known: number;
  /** By this one, since it last told. */
  untold: number;
}

/**
 * Counts by the minute; for replicas by minutes of the clock, which are the same for all. A request only touches memory:
 * replicas exchange what they saw in the background, and when the database is away each goes on counting for itself.
 */
export function createRateWindow({ now, shared, onFault = () => undefined }: RateWindowOptions): RateWindow {
  let start = Number.NEGATIVE_INFINITY;
  let counts = new Map<string, Count>();
  let isExchanging = false;
  /** The last exchange failed; told once an outage. */
  let isAlone = false;

  function begin(at: number): void {
    // A clock that was set back would make the minute as long as the way back.
    if (at >= start && at < start + windowMs) return;
    // Replicas must agree on it without asking each other; one alone lets it begin with its first guest.
    start = shared ? Math.floor(at / windowMs) * windowMs : at;
    counts = new Map();
  }

  async function exchange(rates: RateCounts): Promise<void> {
    const [sinceStart, own] = [start, counts];
    const seen = [...own].flatMap(([subject, { untold }]) => (untold > 0 ? [{ subject, hits: untold }] : []));
    if (seen.length === 0) return;
    for (const { subject, hits } of seen) move(own, subject, hits);
    try {
      for (const { subject, hits } of await rates.add(sinceStart, seen)) {
        const count = own.get(subject);
        if (count) count.known = hits;
      }
      isAlone = false;
    } catch (error) {
      for (const { subject, hits } of seen) move(own, subject, -hits);
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
      const count = counts.get(subject) ?? { known: 0, untold: 0 };
      count.untold += 1;
      counts.set(subject, count);
      return { hits: count.known + count.untold, endsAt: start + windowMs };
    },
    close: () => clearInterval(exchanging),
  };
}

function move(counts: Map<string, Count>, subject: string, hits: number): void {
  const count = counts.get(subject);
  if (!count) return;
  count.untold -= hits;
  count.known += hits;
}
