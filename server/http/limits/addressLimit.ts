import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { RequestError } from '../../../router/index.ts';
import { type RateWindow, windowMs } from './rateWindow.ts';

/** What one more request of an address comes to. */
interface AddressHit {
  /** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-08). */
  headers: readonly (readonly [name: string, value: string])[];
  /** There when the address has had its share. */
  refusal: RequestError | undefined;
}

export type AddressLimit = (ip: string | undefined) => AddressHit;

/** An IPv6 address with its zone, brackets and port; what is longer is none. */
const longestAddress = 80;

/** Their policies are remembered: hashing an address costs as much as the rest of this. */
const rememberedAddresses = 10_000;

/**
 * So many requests a minute for each client address. An IPv6 network of 56 bits counts as one address.
 * @param now milliseconds since the epoch
 */
export function createAddressLimit(requestsPerMinute: number, window: RateWindow, now: () => number): AddressLimit {
  const name = `"${requestsPerMinute}-in-${windowMs / 60_000}min"`;
  const known = new Map<string, { subject: string; policy: string }>();

  function get(ip: string) {
    const found = known.get(ip);
    if (found) return found;
    const key = keyOf(ip);
    // Twelve digits of a hash: two addresses are told apart, and neither is told.
    const digits = createHash('sha256').update(key).digest('hex').slice(0, 12);
    const partition = Buffer.from(digits).toString('base64');
    const made = {
      subject: `address:${key}`,
      policy: `${name}; q=${requestsPerMinute}; w=${windowMs / 1000}; pk=:${partition}:`,
    };
    if (known.size >= rememberedAddresses) known.clear();
    known.set(ip, made);
    return made;
  }

  return (ip = 'gone') => {
    const { subject, policy } = get(ip.slice(0, longestAddress));
    const { hits, endsAt } = window.hit(subject);
    const seconds = Math.max(0, Math.ceil((endsAt - now()) / 1000));
    const left = Math.max(0, requestsPerMinute - hits);
    return {
      headers: [
        ['RateLimit', `${name}; r=${left}; t=${seconds}`],
        ['RateLimit-Policy', policy],
      ],
      refusal: hits > requestsPerMinute ? refuse(requestsPerMinute, seconds) : undefined,
    };
  };
}

/**
 * Some proxies write the port beside the address (`192.0.2.1:4711`, `[2001:db8::1]:4711`), and each connection would be
 * another client. What is no address came through a proxy that is not there: all of it is one.
 */
function keyOf(ip: string): string {
  const bare = /^\[?([^[\]]*?)\]?:\d{1,5}$/.exec(ip)?.[1] ?? ip;
  const address = isIP(ip) ? ip : bare;
  return isIP(address) ? ipKeyGenerator(address) : 'unreadable';
}

function refuse(requestsPerMinute: number, retryAfterSeconds: number): RequestError {
  const detail = `More than ${requestsPerMinute} requests a minute came from your address. Try again in ${retryAfterSeconds} s.`;
  return new RequestError('RATE_LIMITED', detail, { retryAfterSeconds });
}
