import type { PoolIndex } from '../pools/poolIndex.ts';
import type { ChainData } from '../quote/chainData.ts';
import { encodeChainConfig } from '../venues/encodeChainConfig.ts';
import { isSingleton } from '../venues/kinds.ts';
import { createCodeMemory } from './bytecode/codeMemory.ts';
import { createTokenMemories } from './tokenMemory.ts';
import type { PretradeEnvironment } from './tokenReading.ts';

/** The state that all checks of one process share. */
export function createEnvironment(
  data: ChainData,
  pools: PoolIndex | undefined,
  onNodeFault?: PretradeEnvironment['onNodeFault'],
): PretradeEnvironment {
  const { deployment, candidatePools } = data;
  const managers = [...new Set(candidatePools.filter(({ kind }) => isSingleton(kind)).map(({ factory }) => factory))];
  return {
    data,
    exitConfig: encodeChainConfig(deployment, candidatePools),
    poolsConfig: encodeChainConfig({ ...deployment, pricingAssets: [] }, []),
    holders: [
      ...managers.map((address) => ({ name: 'uniswap-v4', address, covered: true })),
      ...deployment.uncovered
        .filter(({ kind }) => kind === 'singleton')
        .map(({ name, address }) => ({ name, address, covered: false })),
    ],
    pools,
    memories: createTokenMemories(),
    codes: createCodeMemory(),
    onNodeFault,
    head: { number: 0n, timestamp: 0n, baseFee: 0n, coinbase: undefined, prevRandao: undefined, seenAt: 0 },
  };
}
