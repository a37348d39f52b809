import { createHash } from 'node:crypto';
import { windowMs } from './rateWindow.ts';

/** RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-08). */
export type RateHeaders = readonly (readonly [name: string, value: string])[];

/** A limit of requests per minute, as its headers describe it. */
export interface RatePolicy {
  name: string;
  perMinute: number;
}

export const toRatePolicy = (perMinute: number): RatePolicy => ({
  name: `"${perMinute}-in-${windowMs / 60_000}min"`,
  perMinute,
});

/** The RateLimit-Policy of one subject. Twelve digits of a hash distinguish subjects without publishing them. */
export function policyOf({ name, perMinute }: RatePolicy, subject: string): string {
  const digits = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  const partition = Buffer.from(digits).toString('base64');
  return `${name}; q=${perMinute}; w=${windowMs / 1000}; pk=:${partition}:`;
}

/** The headers after `hits` requests in a window that ends in `seconds`. */
export const rateHeaders = (
  { name, perMinute }: RatePolicy,
  policy: string,
  { hits, seconds }: { hits: number; seconds: number },
): RateHeaders => [
  ['RateLimit', `${name}; r=${Math.max(0, perMinute - hits)}; t=${seconds}`],
  ['RateLimit-Policy', policy],
];
