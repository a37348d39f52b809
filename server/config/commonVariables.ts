import { z } from 'zod';
import { type ChainName, chainIds } from '../../engine/index.ts';
import { catalogue, defaultLimits } from '../../router/index.ts';
import { freshnessVariables } from './chainVariables.ts';
import { bareUrl, httpUrl, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

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

/** `none`, or comma-separated groups. */
const trialGroups = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((group) => group.trim())))
  .refine(
    (groups) => groups.every((group) => knownGroups.includes(group)),
    `must be none, or a list of: ${knownGroups.join(', ')}`,
  );

/** `none`, or comma-separated chains, as CAIP-2. */
const preconfirmed = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((chain) => chain.trim())))
  .refine(
    (chains) => chains.every((chain) => chain in chainIds),
    `must be none, or a list of: ${Object.keys(chainIds).join(', ')}`,
  )
  .transform((chains) => chains.map((chain) => `eip155:${chainIds[chain as ChainName]}`));

/** In OpenTelemetry's format: `name=value,other=value`, values percent-encoded. */
const otlpHeaders = z
  .string()
  .regex(/^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/, 'must be name=value, separated by commas')
  .refine(isDecodable, 'must be percent-encoded')
  .transform(toOtlpHeaders);

/** Variables of both modes; each has a default. */
export const commonVariables = z.object({
  PORT: whole(0, 65_535)
    .default(4020)
    .register(variableFacts, { section: 'Address', description: 'Port to listen on; 0 takes a free one.' }),
  HOST: z.string().optional().register(variableFacts, {
    section: 'Address',
    description: 'Address to listen on. Default: 127.0.0.1 in the sandbox, 0.0.0.0 in live mode.',
  }),
  PUBLIC_URL: httpUrl.optional().register(variableFacts, {
    section: 'Address',
    description:
      'URL under which clients reach the service. Payments and documents name it. Default: the address listened on.',
    isPrivate: true,
  }),
  CONTACT_EMAIL: z.email('must be an e-mail address').optional().register(variableFacts, {
    section: 'Address',
    description: 'E-mail address for users; the published documents name it.',
  }),
  TRUSTED_PROXIES: whole(0, 10).default(0).register(variableFacts, {
    section: 'Address',
    description:
      'Number of reverse proxies in front of the service. The rate limit takes the client address from them.',
  }),
  RATE_LIMIT_PER_ADDRESS: whole(1, 1_000_000)
    .default(defaultLimits.requestsPerMinutePerAddress)
    .register(variableFacts, { section: 'Limits', description: 'Requests a minute from one client address.' }),
  RATE_LIMIT_PER_WALLET: whole(1, 1_000_000)
    .default(defaultLimits.requestsPerMinutePerWallet)
    .register(variableFacts, { section: 'Limits', description: 'Requests a minute from one paying wallet.' }),
  CONTRACT_WALLET_GAS_USD_PER_HOUR: dollars(0.1, 1_000).default(0.5).register(variableFacts, {
    section: 'Limits',
    description:
      'Gas budget in US dollars an hour for failed settlements of all contract wallets together. When it is spent, contract wallets get 429; wallets without code are not affected.',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .default('info')
    .register(variableFacts, {
      section: 'Observability',
      description: 'Least severe level that is logged: fatal, error, warn, info, debug or silent.',
    }),
  FREE_TRIAL_GROUPS: trialGroups.default(['pretrade']).register(variableFacts, {
    section: 'Limits',
    description: 'Groups whose first call by a wallet is free: pretrade, quote, both separated by a comma, or none.',
  }),
  FREE_TRIALS_PER_IP: whole(1, 1_000_000).optional().register(variableFacts, {
    section: 'Limits',
    description:
      'Free calls of one client address in a UTC day. Above it the answer is 429, uncharged, and the wallet keeps its free call. Without it there is no limit.',
  }),
  PRECONFIRMED_NETWORKS: preconfirmed.default([]).register(variableFacts, {
    section: 'Payments',
    description:
      'Chains on which a preconfirmed receipt counts as settled, for example base,polygon. Default: none; the block must be in the latest block of the node.',
  }),
  ANSWER_RETENTION_DAYS: whole(1, 36_500).default(1).register(variableFacts, {
    section: 'Storage',
    description:
      'Days that bodies of answers are kept. Replays end after 24 hours at most; settled payments are kept for ever.',
  }),
  DATA_DIR: z.string().default('data').register(variableFacts, {
    section: 'Storage',
    description: 'Folder of the embedded SQLite database. Used without DATABASE_URL.',
  }),
  QUOTE_DEADLINE_MS: whole(100, 120_000)
    .default(8000)
    .register(variableFacts, { section: 'Answers', description: 'Longest time in milliseconds for one answer.' }),
  ...freshnessVariables,
  METRICS_PORT: whole(0, 65_535).optional().register(variableFacts, {
    section: 'Observability',
    description: 'Port for Prometheus metrics at /metrics. Without it there are none.',
  }),
  METRICS_HOST: z.string().optional().register(variableFacts, {
    section: 'Observability',
    description: 'Address for the metrics port. Default: 127.0.0.1. The endpoint has no authentication.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: bareUrl.optional().register(variableFacts, {
    section: 'Observability',
    description: 'URL for traces (OTLP over HTTP, without /v1/traces). Without it none are sent.',
    isPrivate: true,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional().register(variableFacts, {
    section: 'Observability',
    description: 'Headers sent with traces: name=value separated by commas, values percent-encoded.',
    isPrivate: true,
  }),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1).register(variableFacts, {
    section: 'Observability',
    description: 'Share of requests that are traced, from 0 to 1.',
  }),
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
