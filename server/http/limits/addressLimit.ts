import { isIP } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { Memory } from '../../../engine/index.ts';
import { RequestError } from '../../../router/index.ts';
import { policyOf, type RateHeaders, rateHeaders, toRatePolicy } from './policy.ts';
import type { RateWindow } from './rateWindow.ts';

/** The result of counting one request of an address. */
export interface AddressHit {
  headers: RateHeaders;
  /** Set when the address exceeds the limit. */
  refusal: RequestError | undefined;
  /** Takes the count of this request back, once. */
  release(): void;
}

export type AddressLimit = (ip: string | undefined) => AddressHit;

/** Longest IPv6 address with zone, brackets and port. */
const maxAddressLength = 80;

/** Number of cached policies. Hashing an address costs as much as the rest of the limit. */
const maxCachedAddresses = 10_000;

/**
 * Limits requests per minute for each client address. An IPv6 /56 network counts as one address.
 * @param now milliseconds since the epoch
 */
export function createAddressLimit(requestsPerMinute: number, window: RateWindow, now: () => number): AddressLimit {
  const limit = toRatePolicy(requestsPerMinute);
  const known = new Memory<string, { subject: string; policy: string }>({ maxEntries: maxCachedAddresses });

  function find(ip: string) {
    const found = known.get(ip);
    if (found) return found;
    const key = keyOf(ip);
    const made = { subject: `address:${key}`, policy: policyOf(limit, key) };
    known.set(ip, made);
    return made;
  }

  return (ip = 'gone') => {
    const { subject, policy } = find(ip.slice(0, maxAddressLength));
    const { hits, endsAt } = window.hit(subject);
    const seconds = Math.max(0, Math.ceil((endsAt - now()) / 1000));
    let isReleased = false;
    return {
      headers: rateHeaders(limit, policy, { hits, seconds }),
      refusal: hits > requestsPerMinute ? refuse(requestsPerMinute, seconds) : undefined,
      release() {
        if (!isReleased) window.release(subject, endsAt);
        isReleased = true;
      },
    };
  };
}

/**
 * The client's key in the rate limit; an IPv6 /56 network has one key. Some proxies append the port (`192.0.2.1:4711`,
 * `[2001:db8::1]:4711`): it is removed, or each connection would count as another client. All invalid addresses share one
 * key: clients can forge the header when TRUSTED_PROXIES is higher than the number of proxies.
 * @param ip undefined after the client disconnected
 */
export function keyOf(ip = 'gone'): string {
  const bare = /^\[?([^[\]]*?)\]?:\d{1,5}$/.exec(ip)?.[1] ?? ip;
  const address = isIP(ip) ? ip : bare;
  return isIP(address) ? ipKeyGenerator(address) : 'unreadable';
}

/** "This request charged nothing": an earlier request with the same payment may have been charged. */
function refuse(requestsPerMinute: number, retryAfterSeconds: number): RequestError {
  const detail = `More than ${requestsPerMinute} requests per minute from your address. This request charged nothing. Send it again, with the same PAYMENT-SIGNATURE if you have signed, in ${retryAfterSeconds} s.`;
  return new RequestError('RATE_LIMITED', detail, { retryAfterSeconds });
}
