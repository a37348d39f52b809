import { z } from 'zod';
import { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from '../vendors/index.ts';
import { bareUrl, whole } from './commonVariables.ts';

/** `off`, or where the vendor is; without it, its public address. */
const place = (url: string) =>
  z.union([z.literal('off'), bareUrl], 'must be off, or an http or https URL without a user name').default(url);
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be a key without spaces')
  .optional();

/** Whom the pre-trade check asks about what the chain does not tell in one read. */
export const vendorVariables = z.object({
  BLOCKSCOUT_URL: place('https://base.blockscout.com'),
  BLOCKSCOUT_KEY: key,
  ETHERSCAN_URL: place('https://api.etherscan.io'),
  ETHERSCAN_KEY: key,
  DEXSCREENER_URL: place('https://api.dexscreener.com'),
  GECKOTERMINAL_URL: place('https://api.geckoterminal.com'),
  LOG_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  POOL_INDEX: z.enum(['on', 'off'], 'must be on or off').default('on'),
  VENDOR_TIMEOUT_MS: whole(50, 60_000).default(800),
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
