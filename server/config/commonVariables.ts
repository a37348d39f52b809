import { z } from 'zod';
import { type ChainName, chainIds } from '../../engine/index.ts';
import { catalogue } from '../../router/index.ts';

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

const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a share from 0 to 1')
  .transform(Number);

const dollars = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,4}(\.\d{1,6})?$/, `must be US dollars from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be US dollars from ${least} to ${most}`);

const knownGroups = [...new Set(catalogue.map(({ trialGroup }) => trialGroup))];

/** `none`, or groups separated by commas. */
const trialGroups = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((group) => group.trim())))
  .refine(
    (groups) => groups.every((group) => knownGroups.includes(group)),
    `must be none, or a list of: ${knownGroups.join(', ')}`,
  );

/** `none`, or chains separated by commas; as CAIP-2. */
const preconfirmed = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((chain) => chain.trim())))
  .refine(
    (chains) => chains.every((chain) => chain in chainIds),
    `must be none, or a list of: ${Object.keys(chainIds).join(', ')}`,
  )
  .transform((chains) => chains.map((chain) => `eip155:${chainIds[chain as ChainName]}`));

/** As OpenTelemetry writes them: `name=value,other=value`, values percent-encoded. */
const otlpHeaders = z
  .string()
  .regex(/^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/, 'must be name=value, separated by commas')
  .refine(isDecodable, 'must be percent-encoded')
  .transform(toOtlpHeaders);

/** What both modes understand; every one has a default. */
export const commonVariables = z.object({
  PORT: whole(0, 65_535).default(4020),
  HOST: z.string().optional(),
  PUBLIC_URL: httpUrl.optional(),
  CONTACT_EMAIL: z.email('must be an e-mail address').optional(),
  TRUSTED_PROXIES: whole(0, 10).default(0),
  RATE_LIMIT_PER_ADDRESS: whole(1, 1_000_000).default(120),
  RATE_LIMIT_PER_WALLET: whole(1, 1_000_000).default(600),
  CONTRACT_WALLET_GAS_USD_PER_HOUR: dollars(0.1, 1_000).default(0.5),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .default('info'),
  FREE_TRIAL_GROUPS: trialGroups.default(['pretrade']),
  FREE_TRIALS_PER_IP: whole(1, 1_000_000).optional(),
  PRECONFIRMED_NETWORKS: preconfirmed.default([]),
  ANSWER_RETENTION_DAYS: whole(1, 36_500).default(1),
  DATA_DIR: z.string().default('data'),
  QUOTE_DEADLINE_MS: whole(100, 120_000).default(8000),
  FRESHNESS_MS_BASE: whole(0, 600_000).default(4000),
  FRESHNESS_MS_POLYGON: whole(0, 600_000).default(5000),
  FRESHNESS_MS_ARBITRUM: whole(0, 600_000).default(2000),
  METRICS_PORT: whole(0, 65_535).optional(),
  METRICS_HOST: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: bareUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional(),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
});

function toOtlpHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))] as const;
  });
  return Object.fromEntries(pairs);
}

function isDecodable(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text) && !/%[89a-fA-F]/.test(text);
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
