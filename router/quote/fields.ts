import type { Hex } from 'viem';
import { z } from 'zod';

/** A string schema with a pattern that begins with 0x, typed as viem's `Hex`. Its JSON Schema is a plain string. */
function hexString(pattern: RegExp, messages: { type?: string; form?: string } = {}): z.ZodType<Hex, Hex> {
  return z.string(messages.type).regex(pattern, messages.form) as unknown as z.ZodType<Hex, Hex>;
}

const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** An address in a request, in any letter case. Answers contain it checksummed. */
export const tokenAddress = hexString(addressPattern, {
  type: 'Must be a string: 0x and 40 hexadecimal characters.',
  form: 'Must be 0x and 40 hexadecimal characters.',
});

/** An address in an answer. */
export const address = hexString(addressPattern);

/** The address of a pool; on uniswap-v4 and balancer-v2 its 32-byte id. */
export const poolId = hexString(/^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/);

/** Bytes in an answer, such as calldata. */
export const hexBytes = hexString(/^0x(?:[0-9a-fA-F]{2})*$/);

/** A 32-byte hash in an answer. */
export const hash = hexString(/^0x[0-9a-f]{64}$/);

/** A positive decimal in whole units. A string, because JSON numbers round. */
export const sizeString = z
  .string('Must be a decimal as a JSON string, such as "1.5"; never a number.')
  .max(78, 'Must be at most 78 characters.')
  .regex(
    /^(?:0\.\d*[1-9]\d*|[1-9]\d*(?:\.\d+)?)$/,
    'Must be a positive decimal such as "1500" or "0.25": no sign, no exponent, no leading zeros, not zero.',
  );
