import { z } from 'zod';
import { type ChainName, chainNames } from '../../engine/index.ts';
import { CdpKeyError, createCdpSigner, type RemoteFacilitator } from '../payments/index.ts';
import { httpUrl } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** Payment networks: the chains with quotes, and Solana. */
export type PaidOn = ChainName | 'solana';

const paymentNetworks: readonly PaidOn[] = [...chainNames, 'solana'];
const suffixOf = (network: PaidOn): string => `_${network.toUpperCase()}`;
const keyVariableOf = (network: PaidOn): string =>
  network === 'solana' ? 'FACILITATOR_KEY_SVM' : 'FACILITATOR_KEY_EVM';

/** Coinbase's facilitator, which requires signed requests. Source: its x402 documentation for sellers. */
const cdpUrl = 'https://api.cdp.coinbase.com/platform/v2/x402';
const isCdp = (url: string): boolean => new URL(url).host === new URL(cdpUrl).host;

const baseUrl = httpUrl.refine(
  (url) => !/[?#@]/.test(url),
  'must not contain a query or a user name: use FACILITATOR_HEADERS for keys',
);

function toHeaders(text: string, context: z.RefinementCtx): Record<string, string> {
  try {
    return z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]+$/)).parse(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    context.addIssue({ code: 'custom', message: 'must be JSON: an object of header names and values' });
    return z.NEVER;
  }
}
const headers = z.string().transform(toHeaders);

const defaultFacilitator = {
  FACILITATOR_URL: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for the networks without a key or a facilitator of their own.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL: a JSON object of names and values.',
    isPrivate: true,
  }),
};

/** Variables of remote facilitators, which settle in place of this service's keys. */
export const facilitatorVariables = z.object({
  ...defaultFacilitator,
  FACILITATOR_URL_BASE: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Base only. It takes precedence over FACILITATOR_KEY_EVM.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_BASE: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_BASE.',
    isPrivate: true,
  }),
  FACILITATOR_URL_POLYGON: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Polygon only. It takes precedence over FACILITATOR_KEY_EVM.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_POLYGON: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_POLYGON.',
    isPrivate: true,
  }),
  FACILITATOR_URL_ARBITRUM: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Arbitrum only. It takes precedence over FACILITATOR_KEY_EVM.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_ARBITRUM: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_ARBITRUM.',
    isPrivate: true,
  }),
  FACILITATOR_URL_SOLANA: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Solana only. It takes precedence over FACILITATOR_KEY_SVM.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_SOLANA: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_SOLANA.',
    isPrivate: true,
  }),
  CDP_API_KEY_ID: z.string().optional().register(variableFacts, {
    section: 'Payments',
    description:
      "Key id for Coinbase's facilitator. With it, Coinbase's facilitator is the default for FACILITATOR_URL.",
    isPrivate: true,
  }),
  CDP_API_KEY_SECRET: z
    .string()
    .refine(isCdpSecret, 'must be the unchanged key secret from the Coinbase developer platform')
    .optional()
    .register(variableFacts, {
      section: 'Payments',
      description: "Key secret for Coinbase's facilitator.",
      isPrivate: true,
    }),
});

type Variables = z.output<typeof facilitatorVariables>;
type Environment = Record<string, string | undefined>;

function isCdpSecret(keySecret: string): boolean {
  try {
    createCdpSigner({ keyId: 'k', keySecret }, Date.now);
    return true;
  } catch (error) {
    if (!(error instanceof CdpKeyError)) throw error;
    return false;
  }
}

/**
 * The variable with the facilitator's URL; undefined if this service settles itself. Precedence: the network's own
 * facilitator, this service's key, the default facilitator.
 */
function urlVariableFor(network: PaidOn, env: Environment): string | undefined {
  const own = `FACILITATOR_URL${suffixOf(network)}`;
  if (env[own] !== undefined) return own;
  if (env[keyVariableOf(network)] !== undefined) return undefined;
  return env.FACILITATOR_URL !== undefined || env.CDP_API_KEY_ID !== undefined ? 'FACILITATOR_URL' : undefined;
}

const urlOf = (variable: string, env: Environment): string => env[variable] ?? cdpUrl;

/**
 * Returns the faults of inconsistent combinations of variables.
 *
 * @param env the raw environment, valid or not
 * @param paidOn the networks with an RPC URL; if empty, keys are required for the EVM chains
 */
export function facilitatorFaults(env: Environment, paidOn: readonly PaidOn[]): string[] {
  const used = new Set(paidOn.map((network) => urlVariableFor(network, env)));
  const settledOn = paidOn.length > 0 ? paidOn : chainNames;
  const keys = new Set(settledOn.filter((network) => !urlVariableFor(network, env)).map(keyVariableOf));
  const hasCdp = [...used].some((name) => name && isHttp(urlOf(name, env)) && isCdp(urlOf(name, env)));
  const unused = ['', ...paymentNetworks.map(suffixOf)].flatMap((suffix) => {
    const url = `FACILITATOR_URL${suffix}`;
    return [url, `FACILITATOR_HEADERS${suffix}`].filter((name) => env[name] !== undefined && !used.has(url));
  });
  return [
    ...[...keys]
      .filter((name) => env[name] === undefined)
      .map((name) => `${name} is missing: set the key that settles payments and pays their gas, or FACILITATOR_URL`),
    ...unused.map((name) => `${name} is set, but no network uses it: unset it, or the key that takes precedence`),
    ...(['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET'] as const).flatMap((name, index, both) => {
      const other = both[1 - index] ?? name;
      if (env[other] !== undefined && env[name] === undefined) return [`${name} is missing: ${other} requires it`];
      return env[name] !== undefined && !hasCdp
        ? [`${name} is set, but no FACILITATOR_URL is Coinbase's: unset it`]
        : [];
    }),
  ];
}

const isHttp = (url: string): boolean => URL.canParse(url);

/**
 * The remote facilitator of each network on which this service does not settle itself.
 * @param set the raw environment
 */
export function toRemotes(
  env: Variables,
  set: Environment,
  paidOn: readonly PaidOn[],
): Partial<Record<PaidOn, RemoteFacilitator>> {
  const { CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = env;
  const found = paidOn.flatMap((network) => {
    const variable = urlVariableFor(network, set) as 'FACILITATOR_URL' | undefined;
    if (!variable) return [];
    const url = env[variable] ?? cdpUrl;
    const own = env[variable.replace('URL', 'HEADERS') as 'FACILITATOR_HEADERS'];
    const cdp = isCdp(url) && keyId && keySecret ? { keyId, keySecret } : undefined;
    return [[network, { url, ...(own && { headers: own }), ...(cdp && { cdp }) }] as const];
  });
  return Object.fromEntries(found);
}
