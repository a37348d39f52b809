import { type Address, encodeFunctionData, parseAbi } from 'viem';
import { pancakePoolDeployerArtifact } from '../../contracts/artifacts/sandbox/PancakePoolDeployer.ts';
import type { VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { toCreationCode } from '../placement/toCreationCode.ts';
import { published } from '../published/published.ts';
import { fillConcentrated } from './uniswapV3.ts';

const abi = parseAbi([
  'function createPool(address, address, uint24) returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
]);

const factory = '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865';
const deployer = '0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9';
/** PancakeSwap's v3 quoter has the same address on every chain. */
const quoter = '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997';
const router = '0x1b81D678ffb9C0263b24A97847620C99d213eB14';
const poolCode = derivedAddress('PancakeSwap v3 pool code');
const spacings: Record<number, number> = { 100: 1, 500: 10, 2500: 50, 10000: 200 };

/**
 * PancakeSwap v3 with the published factory, pool and quoter. The package lacks the pool deployer, so the sandbox has its
 * own. Pools have their mainnet addresses.
 */
export function pancakeV3(wrappedNative: Address, maker: Address): VenuePlan {
  return {
    venue: 'pancakeswap-v3',
    swap: { kind: 'concentrated' },
    placements: [
      { address: poolCode, creation: toCreationCode(published.pancakeV3Pool().bytecode) },
      { address: deployer, creation: creationCode(pancakePoolDeployerArtifact, [factory, poolCode]) },
      { address: factory, creation: creationCode(published.pancakeV3Factory(), [deployer]) },
      { address: quoter, creation: creationCode(published.pancakeV3Quoter(), [deployer, factory, wrappedNative]) },
      { address: router, creation: creationCode(published.pancakeV3Router(), [deployer, factory, wrappedNative]) },
    ],
    open: ({ token0, token1, tier = 2500 }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1, tier] }) },
    ],
    locate: ({ token0, token1, tier = 2500 }) => ({
      to: factory,
      data: encodeFunctionData({ abi, functionName: 'getPool', args: [token0, token1, tier] }),
    }),
    fill: (seed, pool) => fillConcentrated(seed, pool, spacings[seed.tier ?? 2500] ?? 50, maker),
  };
}
