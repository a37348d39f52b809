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

/** An address or name to listen on, without scheme and port. */
export const hostName = z.string().regex(/^[\w.:%-]+$/, 'must be an IP address or a host name, such as 127.0.0.1');

/** An `httpUrl` without credentials, which have their own variables. */
export const bareUrl = httpUrl.refine(hasNoCredentials, 'must not contain a user name or password');

/** URLs separated by commas, best first. */
export const urlList = z
  .string()
  .transform((text) => text.split(',').map((url) => url.trim()))
  .refine((urls) => urls.every(isHttpUrl), 'must be http or https URLs, separated by commas');

/** Budgets of RPC URLs, separated by commas, such as `500 units, 25 calls`. */
export const budgetList = z
  .string()
  .transform((text) => text.split(',').map((budget) => /^\s*(\d{1,7}) (units|calls)\s*$/.exec(budget)))
  .refine((budgets) => budgets.every((found) => found && Number(found[1]) > 0), {
    message: 'must be budgets such as 500 units or 25 calls, separated by commas',
    abort: true,
  })
  .transform((budgets) =>
    budgets.map((found) => ({
      perSecond: Number(found?.[1]),
      of: found?.[2] === 'calls' ? ('calls' as const) : ('units' as const),
    })),
  );

function hasNoCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
