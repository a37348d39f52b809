import { z } from 'zod';

/** A decimal integer of at most nine digits. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

/** An http or https URL; trailing slashes are removed. */
export const httpUrl = z
  .string()
  .refine(isHttpUrl, 'must be an http or https URL')
  .transform((url) => url.replace(/\/+$/, ''));

/** An `httpUrl` without credentials, which have their own variables. */
export const bareUrl = httpUrl.refine(hasNoCredentials, 'must not contain a user name or password');

/** URLs separated by commas, best first. */
export const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), 'must be http or https URLs, separated by commas');

function hasNoCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
