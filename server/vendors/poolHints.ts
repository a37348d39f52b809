import type { Hex } from 'viem';
import { z } from 'zod';
import type { DexscreenerPairs } from './dexscreener/pairs.ts';
import type { ChainName, LowerAddress, PoolHintSource } from './ports.ts';
import type { VendorClient } from './transport/vendorClient.ts';
import { address, hash, usd } from './transport/wire.ts';

/** Maximum number of elements read from a vendor's list. Vendors document 20 and 30. */
const maxListed = 60;
/** Each element is validated separately, so that a malformed one does not discard the others. */
const list = z.array(z.unknown());

/** An address, or the 32-byte id of a singleton's pool. */
const pool = z.union([address, hash]);

const geckoterminalNetworks: Record<ChainName, string> = {
  base: 'base',
  polygon: 'polygon_pos',
  arbitrum: 'arbitrum',
};

const side = z.object({ address });
const pair = z.object({
  chainId: z.string(),
  pairAddress: pool,
  baseToken: side,
  quoteToken: side,
  liquidity: z.object({ usd: usd.nullish() }).nullish(),
});

/** Pairs with the token on either side, the most liquid first, from DEX Screener. */
export function createDexscreenerHints({ label, fetchPairs }: DexscreenerPairs, chain: ChainName): PoolHintSource {
  return {
    label,
    async fetchPools(token, options) {
      return validOnes(await fetchPairs(chain, token, options), pair)
        .filter((each) => each.chainId === chain && isSide(token, each.baseToken, each.quoteToken))
        .sort((a, b) => (b.liquidity?.usd ?? 0) - (a.liquidity?.usd ?? 0))
        .map(({ pairAddress }) => pairAddress);
    },
  };
}

const listedPool = z.object({ attributes: z.object({ address: pool }) });

/** The token's top pools in the vendor's order, from `/api/v2/networks/{network}/tokens/{token}/pools` of GeckoTerminal. */
export function createGeckoterminalHints(client: VendorClient, chain: ChainName): PoolHintSource {
  const network = geckoterminalNetworks[chain];
  return {
    label: client.label,
    async fetchPools(token, options) {
      const path = `/api/v2/networks/${network}/tokens/${token}/pools`;
      const answer = await client.fetchKnown({ path, schema: z.object({ data: list }) }, options);
      return validOnes(answer?.data ?? [], listedPool).map(({ attributes }) => attributes.address);
    },
  };
}

function validOnes<T>(all: readonly unknown[], schema: z.ZodType<T>): T[] {
  return all.slice(0, maxListed).flatMap((each) => {
    const { data, success } = schema.safeParse(each);
    return success ? [data] : [];
  });
}

const isSide = (token: LowerAddress, ...sides: readonly { address: Hex }[]) =>
  sides.some((one) => one.address === token);
