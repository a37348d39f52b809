import { type Address, getAddress, type Hex } from 'viem';
import { z } from 'zod';

/** What vendors' JSON is made of. Everything is bounded, and nothing rounds. */

const maxUint256 = 2n ** 256n - 1n;

/** An address in either letter case, checksummed. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((value): Address => getAddress(value.toLowerCase()));

export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((value) => value.toLowerCase() as Hex);

/**
 * A count of base units. Decimal strings of any length up to 2^256; a JSON number only while a double
 * holds it exactly, because beyond 2^53 the digits are gone before we see them.
 */
export const quantity = z
  .union([z.string().regex(/^\d{1,78}$/), z.number().int().nonnegative().refine(Number.isSafeInteger)])
  .transform(BigInt)
  .refine((value) => value <= maxUint256);

/** A plain count (holders, blocks, seconds) in decimal, as a string or a number. */
export const count = z
  .union([z.string().regex(/^\d{1,16}$/), z.number().int().nonnegative()])
  .transform(Number)
  .refine(Number.isSafeInteger);

/** `0x1a2b` as some explorers give block numbers and times. */
export const hexCount = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,13}$/)
  .transform((value) => Number.parseInt(value, 16));

/** A price or volume in dollars: a decimal string or a number, finite and not negative. */
export const usd = z
  .union([
    z
      .string()
      .regex(/^\d{1,60}(?:\.\d{1,80})?(?:[eE][-+]?\d{1,3})?$/)
      .transform(Number),
    z.number(),
  ])
  .refine((value) => Number.isFinite(value) && value >= 0);

/** ISO 8601 to seconds since the epoch. */
export const isoSeconds = z.iso.datetime({ offset: true }).transform((value) => Math.floor(Date.parse(value) / 1000));
