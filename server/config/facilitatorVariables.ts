import { z } from 'zod';
import { type ChainName, chainNames } from '../../engine/index.ts';
import { CdpKeyError, createCdpSigner, type RemoteFacilitator } from '../payments/index.ts';
import { httpUrl } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** Where payments are taken: the chains that are quoted on, and Solana. */
export type PaidOn = ChainName | 'solana';

const places: readonly PaidOn[] = [...chainNames, 'solana'];
const suffixOf = (place: PaidOn): string => `_${place.toUpperCase()}`;
const keyVariableOf = (place: PaidOn): string => (place === 'solana' ? 'FACILITATOR_KEY_SVM' : 'FACILITATOR_KEY_EVM');

/** Coinbase's facilitator wants each request signed. Source: its seller's documentation of x402. */
const cdpUrl = 'https://api.cdp.coinbase.com/platform/v2/x402';
const isCdp = (url: string): boolean => new URL(url).host === new URL(cdpUrl).host;

const baseUrl = httpUrl.refine(
  (url) => !/[?#@]/.test(url),
  'must have neither query nor user name: give FACILITATOR_HEADERS',
);

function toHeaders(text: string, context: z.RefinementCtx): Record<string, string> {
  try {
    const headers = z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]+$/)).parse(JSON.parse(text));
    return headers;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    context.addIssue({ code: 'custom', message: 'must be JSON: an object of header names and values' });
    return z.NEVER;
  }
}
const headers = z.string().transform(toHeaders);

const everywhere = {
  FACILITATOR_URL: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for the networks without a key of your own.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL: a JSON object of names and values.',
    isPrivate: true,
  }),
};

/** Facilitators elsewhere, in place of keys of ours. */
export const facilitatorVariables = z.object({
  ...everywhere,
  FACILITATOR_URL_BASE: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Base alone; it takes precedence over a key.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_BASE: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_BASE.',
    isPrivate: true,
  }),
  FACILITATOR_URL_POLYGON: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Polygon alone; it takes precedence over a key.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_POLYGON: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_POLYGON.',
    isPrivate: true,
  }),
  FACILITATOR_URL_ARBITRUM: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Arbitrum alone; it takes precedence over a key.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_ARBITRUM: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_ARBITRUM.',
    isPrivate: true,
  }),
  FACILITATOR_URL_SOLANA: baseUrl.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Remote facilitator for Solana alone; it takes precedence over a key.',
    isPrivate: true,
  }),
  FACILITATOR_HEADERS_SOLANA: headers.optional().register(variableFacts, {
    section: 'Payments',
    description: 'Headers for FACILITATOR_URL_SOLANA.',
    isPrivate: true,
  }),
  CDP_API_KEY_ID: z.string().optional().register(variableFacts, {
    section: 'Payments',
    description: "Key id for Coinbase's facilitator, which is the default when only the two CDP variables are set.",
    isPrivate: true,
  }),
  CDP_API_KEY_SECRET: z
    .string()
    .refine(isCdpSecret, 'must be the key secret as the platform hands it out')
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

/** Its own facilitator first, then a key of ours, then the facilitator for the rest. */
function urlVariableFor(place: PaidOn, env: Environment): string | undefined {
  const own = `FACILITATOR_URL${suffixOf(place)}`;
  if (env[own] !== undefined) return own;
  if (env[keyVariableOf(place)] !== undefined) return undefined;
  return env.FACILITATOR_URL !== undefined || env.CDP_API_KEY_ID !== undefined ? 'FACILITATOR_URL' : undefined;
}

const urlOf = (variable: string, env: Environment): string => env[variable] ?? cdpUrl;

/**
 * What does not fit together.
 *
 * @param env as it was set, whether or not it can be read
 * @param paidOn the networks that have an RPC; without any, the EVM chains are meant
 */
export function facilitatorFaults(env: Environment, paidOn: readonly PaidOn[]): string[] {
  const used = new Set(paidOn.map((place) => urlVariableFor(place, env)));
  const settlers = paidOn.length > 0 ? paidOn : chainNames;
  const keys = new Set(settlers.filter((place) => !urlVariableFor(place, env)).map(keyVariableOf));
  const hasCdp = [...used].some((name) => name && isHttp(urlOf(name, env)) && isCdp(urlOf(name, env)));
  const idle = ['', ...places.map(suffixOf)].flatMap((suffix) => {
    const url = `FACILITATOR_URL${suffix}`;
    return [url, `FACILITATOR_HEADERS${suffix}`].filter((name) => env[name] !== undefined && !used.has(url));
  });
  return [
    ...[...keys]
      .filter((name) => env[name] === undefined)
      .map((name) => `${name} is missing: the key that settles payments and pays the gas, or FACILITATOR_URL`),
    ...idle.map((name) => `${name} is set, and no network would use it: unset it, or the key that comes before it`),
    ...(['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET'] as const).flatMap((name, index, both) => {
      const other = both[1 - index] ?? name;
      if (env[other] !== undefined && env[name] === undefined) return [`${name} is missing: it belongs to ${other}`];
      return env[name] !== undefined && !hasCdp ? [`${name} is set, and no facilitator is Coinbase's: unset it`] : [];
    }),
  ];
}

const isHttp = (url: string): boolean => URL.canParse(url);

/** Who settles on each of these networks, where that is not a key of ours. */
export function toRemotes(
  env: Variables,
  set: Environment,
  paidOn: readonly PaidOn[],
): Partial<Record<PaidOn, RemoteFacilitator>> {
  const { CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = env;
  const found = paidOn.flatMap((place) => {
    const variable = urlVariableFor(place, set) as 'FACILITATOR_URL' | undefined;
    if (!variable) return [];
    const url = env[variable] ?? cdpUrl;
    const own = env[variable.replace('URL', 'HEADERS') as 'FACILITATOR_HEADERS'];
    const cdp = isCdp(url) && keyId && keySecret ? { keyId, keySecret } : undefined;
    return [[place, { url, ...(own && { headers: own }), ...(cdp && { cdp }) }] as const];
  });
  return Object.fromEntries(found);
}
