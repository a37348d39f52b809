import { z } from 'zod';
import { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from '../vendors/index.ts';
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
    description: 'Etherscan: the same facts. Used only with ETHERSCAN_KEY. off disables it.',
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
      'Index of Transfer logs, used if the explorers fail: on or off. Of old tokens it reads the logs in the background, with at most 60,000 requests a day.',
  }),
  POOL_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description: 'Index of all pools, built if a node refuses log queries over the whole chain: on or off.',
  }),
  POOL_HINTS: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description:
      'on or off: whether to ask GeckoTerminal and DEX Screener for pools of a token until the pool index is complete. The chain must confirm each pool. Both vendors see the token addresses.',
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
    ...(env.LOG_INDEX === 'on' && { logs: defaultLogIndexLimits }),
    ...(env.POOL_HINTS === 'on' && { poolHints: true }),
    ...(env.POOL_INDEX === 'on' && { pools: defaultPoolIndexLimits }),
    timeoutMs: env.VENDOR_TIMEOUT_MS,
  };
}
