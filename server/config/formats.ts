import { z } from 'zod';

/** A whole number from the environment, where everything is text. */
export const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);

export const httpUrl = z
  .string()
  .refine(isHttpUrl, 'must be an http or https URL')
  .transform((url) => url.replace(/\/+$/, ''));

/** What goes there with a request has a variable of its own. */
export const bareUrl = httpUrl.refine((url) => !new URL(url).username, 'must have no user name');

/** URLs separated by commas, best first. */
export const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), 'must be http or https URLs, separated by commas');

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
