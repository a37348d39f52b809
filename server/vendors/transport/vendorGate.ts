import { type VendorFault, VendorUnavailableError } from '../ports.ts';

export interface VendorGate {
  /** Admits one request. @throws {VendorUnavailableError} without contacting the vendor */
  enter(): void;
  answered(): void;
  failed(fault: VendorFault, retryAfterSeconds: number | undefined): void;
}

/** Failures in a row before requests to the vendor pause. */
const failuresBeforePause = 3;
const pauseMs = 15_000;
/** The pause after a 429 without Retry-After, and the longest accepted one. */
const defaultRetryAfterSeconds = 30;
const maxPauseMs = 10 * 60_000;

/** Faults of the vendor as a whole, not of one response. */
const outages = new Set<VendorFault>(['timeout', 'unreachable', 'server-error']);

/**
 * Limits requests per minute, pauses after a 429 for the requested time, and pauses briefly after an outage. While paused,
 * requests fail immediately.
 */
export function createVendorGate(options: { label: string; requestsPerMinute: number; now: () => number }): VendorGate {
  const { label, requestsPerMinute, now } = options;
  let allowance = requestsPerMinute;
  let countedAt = now();
  let pause: { until: number; fault: VendorFault } | undefined;
  let failures = 0;

  function refill(): void {
    const at = now();
    // A clock set back leaves the allowance unchanged.
    allowance = Math.min(requestsPerMinute, allowance + (Math.max(0, at - countedAt) * requestsPerMinute) / 60_000);
    countedAt = at;
  }

  return {
    enter() {
      const at = now();
      if (pause && at < pause.until) {
        throw new VendorUnavailableError(label, pause.fault, {
          retryAfterSeconds: Math.ceil((pause.until - at) / 1000),
        });
      }
      pause = undefined;
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
        const ms = Math.min(maxPauseMs, (retryAfterSeconds ?? defaultRetryAfterSeconds) * 1000);
        pause = { until: now() + ms, fault };
        return;
      }
      failures = outages.has(fault) ? failures + 1 : 0;
      // Keep the count: after the pause a single failure starts the next one.
      if (failures >= failuresBeforePause) pause = { until: now() + pauseMs, fault };
    },
  };
}
