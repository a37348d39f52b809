import { z } from 'zod';

/** Any letter case; answers contain checksummed addresses. */
export const tokenAddress = z
  .string('Must be a string: 0x and 40 hexadecimal characters.')
  .regex(/^0x[0-9a-fA-F]{40}$/, 'Must be 0x and 40 hexadecimal characters.');

/** A positive decimal in whole units. A string, because JSON numbers round. */
export const sizeString = z
  .string('Must be a decimal as a JSON string, such as "1.5"; never a number.')
  .max(78, 'Must be at most 78 characters.')
  .regex(
    /^(?:0\.\d*[1-9]\d*|[1-9]\d*(?:\.\d+)?)$/,
    'Must be a positive decimal such as "1500" or "0.25": no sign, no exponent, no leading zeros, not zero.',
  );
