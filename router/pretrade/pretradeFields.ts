import { z } from 'zod';
import { address as hexAddress } from '../quote/fields.ts';

/** Field makers of the answer. Each takes its description; null always means: could not be measured, never zero. */

export const address = (description: string) => hexAddress.meta({ description });

export const addressOrNull = (description: string) => hexAddress.nullable().meta({ description });

/** A number that may be missing. The description names the unit. */
export const amount = (description: string) => z.number().nullable().meta({ description });

/** A whole number of things. */
export const count = (description: string) => z.number().int().nonnegative().meta({ description });

export const countOrNull = (description: string) => z.number().int().nonnegative().nullable().meta({ description });

/** A share in percent; with hostile tokens balances may add up to more than the supply, so there is no upper bound. */
export const percent = (description: string) =>
  z
    .number()
    .nonnegative()
    .nullable()
    .meta({ description: `${description} In percent: 12.5 is 12.5 %.` });

export const yesNo = (description: string) => z.boolean().nullable().meta({ description });

export const text = (description: string) => z.string().meta({ description });

export const textOrNull = (description: string) => z.string().nullable().meta({ description });

export const note = text('In plain words, with the reason for what is missing.');
