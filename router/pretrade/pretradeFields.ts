import { z } from 'zod';
import { address as hexAddress } from '../quote/fields.ts';

// Schema helpers for answer fields. Each takes the description; null means not measured, never zero.

export const address = (description: string) => hexAddress.meta({ description });

export const addressOrNull = (description: string) => hexAddress.nullable().meta({ description });

/** A nullable number. The description must contain its unit. */
export const amount = (description: string) => z.number().nullable().meta({ description });

export const count = (description: string) => z.number().int().nonnegative().meta({ description });

export const countOrNull = (description: string) => z.number().int().nonnegative().nullable().meta({ description });

/** A percentage. No upper bound: balances of hostile tokens may exceed the supply. */
export const percent = (description: string) =>
  z
    .number()
    .nonnegative()
    .nullable()
    .meta({ description: `${description} In percent: 12.5 is 12.5 %.` });

export const yesNo = (description: string) => z.boolean().nullable().meta({ description });

export const text = (description: string) => z.string().meta({ description });

export const textOrNull = (description: string) => z.string().nullable().meta({ description });

export const note = text('Explanation of these values, with the reason for each missing one.');
