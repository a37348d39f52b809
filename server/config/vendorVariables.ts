import { z } from 'zod';
import { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from '../vendors/index.ts';
import { bareUrl, whole } from './formats.ts';
import { variableFacts } from './variableFacts.ts';

/** `off`, or where the vendor is; without it, its public address. */
const place = (url: string) =>
  z.union([z.literal('off'), bareUrl], 'must be off, or an http or https URL without a user name').default(url);
const key = () =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be a key without spaces')
    .optional();

/** Whom the pre-trade check asks about what the chain does not tell in one read. */
export const vendorVariables = z.object({
  BLOCKSCOUT_URL: place('https://base.blockscout.com').register(variableFacts, {
    section: 'Vendors',
    description: 'Blockscout: holders, age, creator and holder moves. off turns it off.',
    isPrivate: true,
  }),
  BLOCKSCOUT_KEY: key().register(variableFacts, {
    section: 'Vendors',
    description: 'Key for Blockscout; optional.',
    isPrivate: true,
  }),
  ETHERSCAN_URL: place('https://api.etherscan.io').register(variableFacts, {
    section: 'Vendors',
    description: 'Etherscan: the same facts. Used only with ETHERSCAN_KEY. off turns it off.',
    isPrivate: true,
  }),
  ETHERSCAN_KEY: key().register(variableFacts, {
    section: 'Vendors',
    description: 'Key for Etherscan.',
    isPrivate: true,
  }),
  DEXSCREENER_URL: place('https://api.dexscreener.com').register(variableFacts, {
    section: 'Vendors',
    description: 'DEX Screener: market data, passed on unchanged. off turns it off.',
    isPrivate: true,
  }),
  GECKOTERMINAL_URL: place('https://api.geckoterminal.com').register(variableFacts, {
    section: 'Vendors',
    description: 'GeckoTerminal: market data, passed on unchanged. off turns it off.',
    isPrivate: true,
  }),
  LOG_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description: 'Index over Transfer logs, used when the explorers fail: on or off.',
  }),
  POOL_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on').register(variableFacts, {
    section: 'Vendors',
    description: 'Index of all pools, built when a node refuses logs of the whole chain: on or off.',
  }),
  VENDOR_TIMEOUT_MS: whole(50, 60_000).default(800).register(variableFacts, {
    section: 'Vendors',
    description: 'Milliseconds for one vendor request. An answer waits at most twice as long for all vendors.',
  }),
});

/** A vendor that is off is left out; so is Etherscan without a key. */
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
    ...(env.POOL_INDEX === 'on' && { pools: defaultPoolIndexLimits }),
    timeoutMs: env.VENDOR_TIMEOUT_MS,
  };
}
