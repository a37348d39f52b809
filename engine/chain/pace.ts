import { pause } from './pause.ts';
import type { Pace, RpcBudget, RpcCall } from './rpcEndpoint.ts';

/**
 * Compute units of a call, as Alchemy counts them (docs.alchemy.com/reference/compute-unit-costs); 20 for other methods.
 * Other providers have other tables with similar ratios.
 */
const unitTable: Readonly<Record<string, number>> = {
  eth_chainId: 0,
  eth_blockNumber: 10,
  eth_call: 26,
  eth_feeHistory: 10,
  eth_getLogs: 60,
  eth_sendRawTransaction: 40,
  eth_sendRawTransactionSync: 40,
  eth_simulateV1: 40,
};
const otherUnits = 20;

export const unitsOf = (calls: readonly RpcCall[]): number =>
  calls.reduce((sum, { method }) => sum + (unitTable[method] ?? otherUnits), 0);

/** The part of a second's budget that reads may use at once. The rest is for settlements, which do not wait. */
const readShare = 0.8;
/** A budget that was learnt is not below this: one call a second could answer nothing. */
const leastLearnt = 100;
/** Each refusal reduces a learnt budget to this part, but not below `leastPart` of the most that was ever accepted. */
const reduction = 0.85;
const leastPart = 0.6;
/** A learnt budget grows by this factor each second, so that a wrong one does not last. */
const growth = 1.01;
const windowMs = 1_000;
/** A learnt budget is forgotten this long after the last refusal. */
const rememberedMs = 600_000;
/** Pause after a refusal without Retry-After. */
const shortHoldMs = 250;
/** Refusals within this time, of which each is far below the usual rate, show that others use the same budget. */
const strikesMs = 10_000;
const strikesToLearn = 3;

/**
 * Creates the pace of one endpoint: a token bucket of one second. Its rate is configured, or learnt when the endpoint refuses
 * calls because there were too many.
 */
export function createPace(now: () => number, configured?: RpcBudget): Pace {
  const of = configured?.of ?? 'units';
  let learnt: { perSecond: number; at: number } | undefined;
  /** When the bucket is full again, and until when the endpoint asked for a pause. */
  let fullAt = 0;
  let heldUntil = 0;
  let strikes: number[] = [];
  let recent: { at: number; units: number }[] = [];
  let most = 0;

  /** Units a second; Infinity if no limit is known. */
  const rate = (): number => {
    const most = configured?.perSecond ?? Number.POSITIVE_INFINITY;
    if (!learnt || now() - learnt.at > rememberedMs) return most;
    return Math.min(most, learnt.perSecond * growth ** ((now() - learnt.at) / 1000));
  };
  const use = (units: number) => {
    fullAt = Math.max(fullAt, now()) + (units / rate()) * 1000;
  };
  const acceptedLately = () => {
    recent = recent.filter(({ at }) => now() - at < windowMs);
    return recent.reduce((sum, { units }) => sum + units, 0);
  };
  const delayOf = (units: number): number => {
    const bucketMs = readShare * windowMs;
    const needed = Math.min((units / rate()) * 1000, bucketMs);
    return Math.max(0, heldUntil - now(), fullAt - now() + needed - bucketMs);
  };

  const pace: Pace = {
    weigh: (calls) => (of === 'units' ? unitsOf(calls) : calls.length),
    fitting(calls) {
      const limit = readShare * rate();
      let units = 0;
      const count = calls.findIndex((call) => {
        units += pace.weigh([call]);
        return units > limit;
      });
      return count === -1 ? calls.length : Math.max(1, count);
    },
    async turn(units, signal) {
      const delay = delayOf(units);
      use(units);
      try {
        if (delay > 0) await pause(delay, signal);
        // A refusal in the meantime.
        while (heldUntil > now()) await pause(heldUntil - now(), signal);
      } catch (error) {
        fullAt -= (units / rate()) * 1000;
        throw error;
      }
    },
    spend: use,
    accepted(units) {
      recent.push({ at: now(), units });
      most = Math.max(most, acceptedLately());
    },
    limited(retryAfterMs) {
      const isSameEvent = heldUntil > now();
      heldUntil = Math.max(heldUntil, now() + (retryAfterMs ?? shortHoldMs));
      if (isSameEvent) return;
      strikes = [...strikes.filter((at) => now() - at < strikesMs), now()];
      const lately = acceptedLately();
      // A refusal far below the usual rate may have another cause.
      if ((lately * 2 < most || lately < leastLearnt) && strikes.length < strikesToLearn) return;
      // A full bucket and a second's refill are at most twice the rate.
      const least = Math.max(leastLearnt, leastPart * most);
      learnt = { perSecond: Math.max(least, reduction * Math.min(rate(), Math.max(most, leastLearnt))), at: now() };
      strikes = [];
    },
    waitMs: (units = 0) => delayOf(units),
    heldMs: () => Math.max(0, heldUntil - now()),
    budget() {
      const perSecond = rate();
      return Number.isFinite(perSecond) ? { perSecond, of, isLearnt: learnt !== undefined } : undefined;
    },
  };
  return pace;
}
