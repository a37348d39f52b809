import type { Hex } from 'viem';
import { z } from 'zod';
import { toLowerAddress } from '../ports.ts';

// Schemas of the values in vendors' JSON: bounded and exact.

const maxUint256 = 2n ** 256n - 1n;

/** An address in either letter case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((value) => toLowerAddress(value as Hex));

export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((value) => value.toLowerCase() as Hex);

/**
 * An amount in base units: a decimal string below 2^256, or a JSON number below 2^53. `JSON.parse` rounds larger numbers.
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

/** A hexadecimal count such as `0x1a2b`: block numbers and times of RPC-style APIs. */
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

/** An ISO 8601 time, converted to seconds since the epoch. */
export const isoSeconds = z.iso.datetime({ offset: true }).transform((value) => Math.floor(Date.parse(value) / 1000));
