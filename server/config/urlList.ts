import { z } from 'zod';
import { isHttpUrl } from './commonVariables.ts';

/** Best first. */
export const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), 'must be http or https URLs, separated by commas');
