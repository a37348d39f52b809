import { z } from 'zod';
import { isHttpUrl } from './commonVariables.ts';

/** In order of preference. */
export const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), 'must be http or https URLs, separated by commas');
