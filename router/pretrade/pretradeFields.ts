import { z } from 'zod';

export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

/** null always means: could not be measured; never zero. */
export const amount = z.number().nullable();
export const percent = z.number().nullable().meta({ description: 'Percent, 0 to 100; null: could not be measured.' });
export const blockHeight = z.number().int().nullable();
export const holds = z.boolean().nullable();
export const note = z.string().meta({ description: 'In plain words, with the reason for what is missing.' });
