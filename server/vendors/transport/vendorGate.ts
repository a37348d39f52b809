import { type VendorFault, VendorUnavailableError } from '../ports.ts';

export interface VendorGate {
  /** Passes one request, or refuses it without asking. @throws {VendorUnavailableError} */
  enter(): void;
  answered(): void;
  failed(fault: VendorFault, retryAfterSeconds: number | undefined): void;
}

/** How often in a row a vendor may fail before it is left alone for a while. */
const failuresBeforeRest = 3;
const restMs = 15_000;
/** Used when a 429 does not say how long; and what a vendor may ask for at most. */
const defaultRetryAfterSeconds = 30;
const longestRestMs = 10 * 60_000;

/** Faults that say something about the vendor's health, not about one answer. */
const outages = new Set<VendorFault>(['timeout', 'unreachable', 'server-error']);

/**
 * Keeps us a polite and fast-failing guest: at most so many requests a minute, silence for as long as
 * a 429 asked for, and a short rest after an outage. A refusal here costs no time and no request.
 */
export function createVendorGate(options: { label: string; requestsPerMinute: number; now: () => number }): VendorGate {
  const { label, requestsPerMinute, now } = options;
  let allowance = requestsPerMinute;
  let countedAt = now();
  let rest: { until: number; fault: VendorFault } | undefined;
  let failures = 0;

  function refill(): void {
    const at = now();
    // A clock set back gives nothing and takes nothing.
    allowance = Math.min(requestsPerMinute, allowance + (Math.max(0, at - countedAt) * requestsPerMinute) / 60_000);
    countedAt = at;
  }

  return {
    enter() {
      const at = now();
      if (rest && at < rest.until) {
        throw new VendorUnavailableError(label, rest.fault, { retryAfterSeconds: Math.ceil((rest.until - at) / 1000) });
      }
      rest = undefined;
      refill();
      if (allowance < 1) {
        const retryAfterSeconds = Math.ceil(((1 - allowance) * 60) / requestsPerMinute);
        throw new VendorUnavailableError(label, 'rate-limited', { retryAfterSeconds });
      }
      allowance -= 1;
    },
    answered() {
      failures = 0;
    },
    failed(fault, retryAfterSeconds) {
      if (fault === 'rate-limited') {
        const ms = Math.min(longestRestMs, (retryAfterSeconds ?? defaultRetryAfterSeconds) * 1000);
        rest = { until: now() + ms, fault };
        return;
      }
      failures = outages.has(fault) ? failures + 1 : 0;
      // The count stays: after the rest one more failure is enough for the next rest.
      if (failures >= failuresBeforeRest) rest = { until: now() + restMs, fault };
    },
  };
}
