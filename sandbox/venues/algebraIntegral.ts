import { encodeFunctionData, keccak256, parseAbi, toHex } from 'viem';
import type { VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { type IntegralRelease, published } from '../published/published.ts';
import { type AlgebraOptions, algebraPools, withPoolHash } from './algebraPools.ts';

const abi = parseAbi([
  'function createPool(address, address, bytes) returns (address)',
  'function grantRole(bytes32, address)',
  'function setDefaultPluginFactory(address)',
]);
/** The factory's CUSTOM_POOL_DEPLOYER role, which can create further pools of a pair. */
const customPoolRole = keccak256(toHex('CUSTOM_POOL_DEPLOYER'));
/** Pool hash of release 1.2.10. Its quoter with the hash of 1.2.5 equals the quoter of that release byte for byte. */
const quoterHash = '0x62441ebe4e4315cf3d49d5957f94d66b253dbabe7006f34ad7f70947e60bf15c';

/** Address for a quoter whose real address is not documented. */
export const quoterStandIn = derivedAddress('Algebra Integral quoter');

/** Factory of the default pools' plugins, at a derived address. */
const pluginFactory = derivedAddress('Algebra Integral plugin factory');
/** Deployer of custom pools, at a derived address. */
export const customPoolEntry = derivedAddress('Algebra Integral custom pool entry');

/**
 * Algebra Integral with the pool code that QuickSwap v4 runs: release 1.2.10 on Polygon and 1.2.5 on Base, and its
 * quoter. Each pool has Algebra's default plugin, so that its fee follows the last day's prices. QuickSwap's plugin build
 * is not documented.
 */
export function algebraIntegral({
  venue,
  factory,
  deployer,
  quoter = quoterStandIn,
  router,
  release,
  wrappedNative,
  maker,
}: AlgebraOptions & { release: IntegralRelease }): VenuePlan {
  const quoterCode = withPoolHash(published.integralQuoter(), quoterHash, published.integralPool(release));
  const routerCode = withPoolHash(published.integralRouter(), quoterHash, published.integralPool(release));
  return {
    ...algebraPools(venue, factory, maker),
    placements: [
      { address: deployer, creation: creationCode(published.integralPoolDeployer(release), [factory]) },
      { address: factory, creation: creationCode(published.integralFactory(release), [deployer]) },
      { address: quoter, creation: creationCode(quoterCode, [factory, wrappedNative, deployer]) },
      ...(router ? [{ address: router, creation: creationCode(routerCode, [factory, wrappedNative, deployer]) }] : []),
      { address: customPoolEntry, creation: creationCode(published.integralCustomPoolEntry(), [factory]) },
      { address: pluginFactory, creation: creationCode(published.integralPluginFactory(), [factory]) },
    ],
    setup: [
      {
        to: factory,
        data: encodeFunctionData({ abi, functionName: 'setDefaultPluginFactory', args: [pluginFactory] }),
      },
      {
        to: factory,
        data: encodeFunctionData({ abi, functionName: 'grantRole', args: [customPoolRole, customPoolEntry] }),
      },
    ],
    open: ({ token0, token1 }) => [
      {
        to: factory,
        data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1, '0x'] }),
      },
    ],
  };
}
