import { isIP } from 'node:net';
import { z } from 'zod';
import { type ChainName, chainIds } from '../../engine/index.ts';
import { catalogue, defaultLimits } from '../../router/index.ts';
import { solanaNetwork } from '../payments/networkConfigs.ts';
import { freshnessVariables } from './chainVariables.ts';
import { bareUrl, hostName, httpUrl, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number);

const dollars = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,4}(\.\d{1,6})?$/, `must be US dollars from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be US dollars from ${min} to ${max}`);

const knownGroups = [...new Set(catalogue.map(({ trialGroup }) => trialGroup))];

/** `none`, or trial groups separated by commas. */
const trialGroups = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((group) => group.trim())))
  .refine(
    (groups) => groups.every((group) => knownGroups.includes(group)),
    `must be none, or a list of: ${knownGroups.join(', ')}`,
  );

/** `none`, or chain names separated by commas; converted to CAIP-2 ids. */
const preconfirmed = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((chain) => chain.trim())))
  .refine(
    (chains) => chains.every((chain) => chain in chainIds),
    `must be none, or a list of: ${Object.keys(chainIds).join(', ')}`,
  )
  .refine(
    (chains) => !chains.includes('base'),
    'must not contain base: Base has had no preconfirmations since 5 November 2026, and includes a transaction in a block within 200 ms',
  )
  .transform((chains) => chains.map((chain) => `eip155:${chainIds[chain as ChainName]}`));

/** IP addresses and networks, separated by commas. */
const ipNetworks = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine(
    (entries) => entries.every(isIpNetwork),
    'must be IP addresses or networks (10.0.0.0/8), separated by commas',
  );

const caip2OfName: Record<string, string> = {
  ...Object.fromEntries(Object.entries(chainIds).map(([name, id]) => [name, `eip155:${id}`])),
  solana: solanaNetwork,
};

/** Chain names or CAIP-2 ids separated by commas; converted to CAIP-2 ids. */
const preferred = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .transform((names) => names.map((name) => caip2OfName[name] ?? name))
  .refine(
    (ids) => ids.every((id) => Object.values(caip2OfName).includes(id)),
    `must be a list of: ${Object.keys(caip2OfName).join(', ')}, or their CAIP-2 ids`,
  );

/** Version numbers separated by commas. */
const versions = z
  .string()
  .regex(/^\d{1,4}(,\d{1,4})*$/, 'must be version numbers, separated by commas')
  .transform((text) => text.split(',').map(Number));

/** OpenTelemetry's format of headers: `name=value,other=value`, values percent-encoded. */
const otlpHeaders = z
  .string()
  .regex(/^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/, 'must be name=value, separated by commas')
  .refine(isDecodable, 'must be percent-encoded ASCII')
  .transform(toOtlpHeaders);

/** Variables of both modes; each has a default. */
export const commonVariables = z.object({
  PORT: whole(0, 65_535)
    .default(4020)
    .register(variableFacts, { section: 'Address', description: 'Port to listen on; 0 selects a free port.' }),
  HOST: hostName.optional().register(variableFacts, {
    section: 'Address',
    description: 'Address to listen on. Default: 127.0.0.1 in the sandbox, 0.0.0.0 in live mode.',
  }),
  PUBLIC_URL: httpUrl
    .refine((url) => !/[?#]/.test(url), 'must contain no ? and no #')
    .optional()
    .register(variableFacts, {
      section: 'Address',
      description:
        'Public URL of the service. Payment options and published documents contain it. Required in live mode (https; http only for localhost, 127.0.0.1 and [::1]). Default in the sandbox: the listening address.',
      isPrivate: true,
    }),
  CONTACT_EMAIL: z.email('must be an e-mail address').optional().register(variableFacts, {
    section: 'Address',
    description: 'E-mail address for users, published in the documents.',
  }),
  TRUSTED_PROXIES: whole(0, 10).default(0).register(variableFacts, {
    section: 'Address',
    description:
      'Number of reverse proxies in front of the service. The client address for the rate limit is read from X-Forwarded-For.',
  }),
  CONNECTIONS_PER_ADDRESS: whole(1, 4_000).optional().register(variableFacts, {
    section: 'Limits',
    description:
      'Maximum open connections of one peer address; further ones are closed. Default: 256, or no limit if TRUSTED_PROXIES is set, because all connections then come from the proxies.',
  }),
  CONNECTIONS_UNLIMITED_FROM: ipNetworks.default([]).register(variableFacts, {
    section: 'Limits',
    description:
      'Peer addresses to which CONNECTIONS_PER_ADDRESS does not apply: IP addresses and networks of proxies and health checks, separated by commas, e.g. 127.0.0.1,10.0.0.0/8.',
  }),
  RATE_LIMIT_PER_ADDRESS: whole(1, 1_000_000)
    .default(defaultLimits.requestsPerMinutePerAddress)
    .register(variableFacts, {
      section: 'Limits',
      description:
        'Maximum requests per minute from one client address. Counts requests without a payment, and those whose paying wallet has no settled payment.',
    }),
  RATE_LIMIT_PER_WALLET: whole(1, 1_000_000).default(defaultLimits.requestsPerMinutePerWallet).register(variableFacts, {
    section: 'Limits',
    description: 'Maximum requests per minute from one paying wallet, from any address.',
  }),
  CONTRACT_WALLET_GAS_USD_PER_HOUR: dollars(0.1, 1_000).default(0.5).register(variableFacts, {
    section: 'Limits',
    description:
      'Maximum gas cost per hour, in US dollars, of failed settlements of all contract wallets together. After it is spent, contract wallets get 429; wallets without code are not affected.',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
    .default('info')
    .register(variableFacts, {
      section: 'Observability',
      description: 'Minimum level of log entries: fatal, error, warn, info, debug or silent.',
    }),
  FREE_TRIAL_GROUPS: trialGroups.default(['pretrade']).register(variableFacts, {
    section: 'Limits',
    description: 'Calls that are free once for each wallet: pretrade, quote, or pretrade,quote. none: no free calls.',
  }),
  FREE_TRIALS_PER_IP: whole(1, 1_000_000).optional().register(variableFacts, {
    section: 'Limits',
    description:
      'Maximum free calls of one client address per UTC day. Further free calls get 429, are not charged, and the wallet keeps its free call. Default: no limit.',
  }),
  PRECONFIRMED_NETWORKS: preconfirmed.default([]).register(variableFacts, {
    section: 'Payments',
    description:
      "Chains on which a preconfirmed receipt counts as settled, e.g. polygon. Not base, which has no preconfirmations. Default: none; a payment is settled once the node's latest block includes it.",
  }),
  PREFERRED_NETWORKS: preferred.default([]).register(variableFacts, {
    section: 'Payments',
    description:
      'Payment networks that are offered first, in this order, as chain names or CAIP-2 ids, e.g. arbitrum,solana. The others follow in the order base, polygon, arbitrum, solana. Clients without a preference pay on the first.',
  }),
  EXECUTOR_WITHDRAWN: versions.default([]).register(variableFacts, {
    section: 'Answers',
    description:
      'Faulty versions of the executor, separated by commas, e.g. 1. POST /v1/quote/transaction builds no transaction for them. A release can withdraw versions too.',
  }),
  ANSWER_RETENTION_DAYS: whole(1, 36_500).default(1).register(variableFacts, {
    section: 'Storage',
    description:
      'Days for which answer bodies are stored. More than 1 does not extend replays, which end after at most 24 hours. Settled payments are never deleted.',
  }),
  DATA_DIR: z.string().default('data').register(variableFacts, {
    section: 'Storage',
    description: 'Folder of the embedded SQLite database, which is used if DATABASE_URL is not set.',
  }),
  QUOTE_DEADLINE_MS: whole(100, 120_000)
    .default(8000)
    .register(variableFacts, { section: 'Answers', description: 'Deadline of one answer in milliseconds.' }),
  ...freshnessVariables,
  METRICS_PORT: whole(0, 65_535).optional().register(variableFacts, {
    section: 'Observability',
    description: 'Port for Prometheus metrics at /metrics. Default: no metrics.',
  }),
  METRICS_HOST: z.string().optional().register(variableFacts, {
    section: 'Observability',
    description: 'Listening address of the metrics port. Default: 127.0.0.1. The endpoint has no authentication.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: bareUrl.optional().register(variableFacts, {
    section: 'Observability',
    description: 'URL for traces (OTLP over HTTP, without /v1/traces). Default: no traces.',
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

function isIpNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function toOtlpHeaders(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))] as const;
  });
  return Object.fromEntries(pairs);
}

/** Rejects bytes above 0x7f too: header values are ASCII. */
function isDecodable(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text) && !/%[89a-fA-F]/.test(text);
}
