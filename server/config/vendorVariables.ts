import { z } from 'zod';
import { defaultPoolIndexLimits, defaultLogIndexLimits as limits, type VendorConfig } from '../vendors/index.ts';
import { bareUrl, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** `off`, or the vendor's URL. Default: its public URL. */
const vendorUrl = (url: string) =>
  z
    .union([z.literal('off'), bareUrl], 'must be off, or an http or https URL without a user name or password')
    .default(url);
const key = () =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be a key without spaces')
    .optional();

/** Variables of the vendors that the pretrade check queries for facts that one read of the chain does not return. */
export const vendorVariables = z.object({
  BLOCKSCOUT_URL: vendorUrl('https://base.blockscout.com').register(variableFacts, {
    section: 'Vendors',
    description: "Blockscout: holders, age, creator and the largest holder's transfers. off disables it.",
    isPrivate: true,
  }),
  BLOCKSCOUT_KEY: key().register(variableFacts, {
    section: 'Vendors',
    description: 'API key for Blockscout; optional.',
    isPrivate: true,
  }),
  ETHERSCAN_URL: vendorUrl('https://api.etherscan.io').register(variableFacts, {
    section: 'Vendors',
    description:
      "Etherscan: holders, age, creator and the largest holder's transfers. Used only with ETHERSCAN_KEY. off disables it.",
    isPrivate: true,
  }),
  ETHERSCAN_KEY: key().register(variableFacts, {
    section: 'Vendors',
    description: 'API key for Etherscan.',
    isPrivate: true,
  }),
  DEXSCREENER_URL: vendorUrl('https://api.dexscreener.com').register(variableFacts, {
    section: 'Vendors',
    description: 'DEX Screener: market data, republished unchanged. off disables it.',
    isPrivate: true,
  }),
  GECKOTERMINAL_URL: vendorUrl('https://api.geckoterminal.com').register(variableFacts, {
    section: 'Vendors',
    description: 'GeckoTerminal: market data, republished unchanged. off disables it.',
    isPrivate: true,
  }),
  LOG_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description:
      'Index of Transfer logs, used if the explorers fail: on or off. A search in the background reads the logs of old tokens.',
  }),
  LOG_INDEX_TRANSFERS: whole(100, 1_000_000).default(limits.maxTransfers).register(variableFacts, {
    section: 'Vendors',
    description:
      'Maximum number of transfers that the index stores for a token. For a token with more, it stores only the age.',
  }),
  LOG_INDEX_HOLDERS: whole(100, 100_000).default(limits.maxHolders).register(variableFacts, {
    section: 'Vendors',
    description:
      'Maximum number of holders that the index stores for a token. For a token with more, it stores only the age.',
  }),
  LOG_INDEX_REQUESTS: whole(10, 10_000).default(limits.maxRequests).register(variableFacts, {
    section: 'Vendors',
    description: 'RPC requests that one check may use for the index; after them a search continues in the background.',
  }),
  LOG_SEARCH_REQUESTS: whole(10, 1_000_000).default(limits.search.maxRequests).register(variableFacts, {
    section: 'Vendors',
    description: 'Maximum RPC requests of one search. The search of a later check continues where it ended.',
  }),
  LOG_SEARCH_REQUESTS_PER_DAY: whole(0, 10_000_000).default(limits.search.maxRequestsPerDay).register(variableFacts, {
    section: 'Vendors',
    description:
      'Maximum RPC requests of all searches in 24 hours. 0 disables searches; then each check continues the scan.',
  }),
  LOG_SEARCH_SECONDS: whole(10, 86_400)
    .default(limits.search.maxMs / 1000)
    .register(variableFacts, {
      section: 'Vendors',
      description: 'Maximum duration of one search in seconds.',
    }),
  LOG_SEARCH_PAUSE_MS: whole(0, 60_000).default(limits.search.pauseMs).register(variableFacts, {
    section: 'Vendors',
    description: 'Pause before each request of a search in milliseconds.',
  }),
  LOG_SEARCH_QUEUE: whole(1, 1_000).default(limits.search.maxWaiting).register(variableFacts, {
    section: 'Vendors',
    description: 'Maximum number of tokens that wait for a search. One search runs at a time.',
  }),
  POOL_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description:
      "Index of the pools that only the factories' logs contain, built if a node refuses log queries over the whole chain: on or off.",
  }),
  POOL_HINTS: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description:
      'on or off: whether the service queries GeckoTerminal and DEX Screener for pools of a token until the pool index is complete. The chain must confirm each pool. Both vendors receive the token addresses.',
  }),
  VENDOR_TIMEOUT_MS: whole(50, 60_000).default(800).register(variableFacts, {
    section: 'Vendors',
    description:
      'Timeout of one vendor request in milliseconds. An answer waits at most twice as long for all vendors.',
  }),
});

/** Omits disabled vendors, and Etherscan without a key. */
export function toVendorConfig(env: z.output<typeof vendorVariables>): VendorConfig {
  const { BLOCKSCOUT_URL, BLOCKSCOUT_KEY, ETHERSCAN_URL, ETHERSCAN_KEY, DEXSCREENER_URL, GECKOTERMINAL_URL } = env;
  return {
    ...(BLOCKSCOUT_URL !== 'off' && {
      blockscout: { url: BLOCKSCOUT_URL, ...(BLOCKSCOUT_KEY && { key: BLOCKSCOUT_KEY }) },
    }),
    ...(ETHERSCAN_URL !== 'off' && ETHERSCAN_KEY && { etherscan: { url: ETHERSCAN_URL, key: ETHERSCAN_KEY } }),
    ...(DEXSCREENER_URL !== 'off' && { dexscreener: { url: DEXSCREENER_URL } }),
    ...(GECKOTERMINAL_URL !== 'off' && { geckoterminal: { url: GECKOTERMINAL_URL } }),
    ...(env.LOG_INDEX === 'on' && { logs: toLogLimits(env) }),
    ...(env.POOL_HINTS === 'on' && { poolHints: true }),
    ...(env.POOL_INDEX === 'on' && { pools: defaultPoolIndexLimits }),
    timeoutMs: env.VENDOR_TIMEOUT_MS,
  };
}

const toLogLimits = (env: z.output<typeof vendorVariables>): NonNullable<VendorConfig['logs']> => ({
  maxTransfers: env.LOG_INDEX_TRANSFERS,
  maxHolders: env.LOG_INDEX_HOLDERS,
  maxRequests: env.LOG_INDEX_REQUESTS,
  search: {
    ...limits.search,
    pauseMs: env.LOG_SEARCH_PAUSE_MS,
    maxRequests: env.LOG_SEARCH_REQUESTS,
    maxRequestsPerDay: env.LOG_SEARCH_REQUESTS_PER_DAY,
    maxMs: env.LOG_SEARCH_SECONDS * 1000,
    maxWaiting: env.LOG_SEARCH_QUEUE,
  },
});
