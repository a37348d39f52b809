import { type Address, encodeFunctionData, parseAbi } from 'viem';
import type { Placement, VenuePlan } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { published } from '../published/published.ts';
import type { PublishedContract } from '../published/readPublished.ts';
import { type AlgebraOptions, algebraPools, withPoolHash } from './algebraPools.ts';

const abi = parseAbi(['function createPool(address, address) returns (address)', 'function setFactory(address)']);
/** Hash of QuickSwap's pool build, which the release's factory, quoter and router contain. */
const quickswapHash = '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4';

/**
 * Algebra v1 from Algebra's own release, with the ABI of QuickSwap v3. QuickSwap's build has another code hash, so pools
 * do not have their mainnet addresses. It also replaces Camelot v3 (Algebra 1.9), which no package contains: there,
 * `globalState` differs, and only factory and swap have the same ABI.
 */
export function algebraV1({
  venue,
  factory,
  deployer,
  quoter,
  router,
  wrappedNative,
  maker,
}: AlgebraOptions): VenuePlan {
  const pool = published.algebraPool();
  const vault = derivedAddress('Algebra vault');
  const placePeriphery = (address: Address | undefined, contract: PublishedContract): Placement[] => {
    if (!address) return [];
    const code = withPoolHash(contract, quickswapHash, pool);
    return [{ address, creation: creationCode(code, [factory, wrappedNative, deployer]) }];
  };
  return {
    ...algebraPools(venue, factory, maker),
    placements: [
      { address: deployer, creation: creationCode(published.algebraPoolDeployer()) },
      {
        address: factory,
        creation: creationCode(withPoolHash(published.algebraFactory(), quickswapHash, pool), [deployer, vault]),
      },
      ...placePeriphery(quoter, published.algebraQuoter()),
      ...placePeriphery(router, published.algebraRouter()),
    ],
    setup: [{ to: deployer, data: encodeFunctionData({ abi, functionName: 'setFactory', args: [factory] }) }],
    open: ({ token0, token1 }) => [
      { to: factory, data: encodeFunctionData({ abi, functionName: 'createPool', args: [token0, token1] }) },
    ],
  };
}
