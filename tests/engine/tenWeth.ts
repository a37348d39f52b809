import { parseUnits } from 'viem';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import type { StateReading } from '../../engine/pools/decodeStates.ts';
import type { StateSource } from '../../engine/pools/readPools.ts';
import type { MarketQuery } from '../../engine/pools/stateQuery.ts';
import type { Pool } from '../../engine/venues/poolTypes.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { stateReaderOn } from './directPoolReads.ts';
import { readMarketStates } from './readMarketStates.ts';

export const lower = <T extends string>(text: T) => text.toLowerCase() as Lowercase<T>;

/**
 * A query that sells 10 WETH for USDC on Base. `worth` is exact for USD stables (30,000 USD), WETH and cbBTC (0.3); for
 * other routing assets it is an arbitrary 10 tokens.
 */
export function tenWeth(chain: SandboxChain, { deployment }: StateSource): MarketQuery {
  const worthOf = (symbol: string, decimals: number, isUsd = false) =>
    isUsd ? parseUnits('30000', decimals) : symbol === 'cbBTC' ? parseUnits('0.3', 8) : parseUnits('10', 18);
  const worth = new Map(
    deployment.routingAssets.map(({ address, symbol, decimals, usdStable }) => [
      address,
      worthOf(symbol, decimals, usdStable),
    ]),
  );
  return { tokenIn: toLowerAddress(chain.wrappedNative), tokenOut: toLowerAddress(chain.usdc), worth };
}

export async function readTenWeth(chain: SandboxChain, more: Partial<MarketQuery> = {}): Promise<StateReading> {
  const { source, node } = stateReaderOn(chain);
  return readMarketStates(source, { ...tenWeth(chain, source), ...more }, node, 'latest');
}

/** Pool states by pool id. */
export const byId = (pools: readonly Pool[]) => new Map(pools.map(({ ref, state }) => [lower(ref.id), state]));
