import { type Address, keccak256 } from 'viem';
import type { Placement } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { toCreationCode } from '../placement/toCreationCode.ts';
import { published } from '../published/published.ts';
import { readHexLiteral } from '../published/readPublished.ts';

const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

interface UniversalRouterOptions {
  router: Address;
  wrappedNative: Address;
  v2Factory: Address;
  v3Factory: Address;
  poolManager: Address;
}

/** Uniswap's Universal Router 2.0 and Permit2. The sandbox has no position managers, so commands for them fail. */
export function placeUniversalRouter(options: UniversalRouterOptions): Placement[] {
  const absent = derivedAddress('position manager');
  const parameters = {
    permit2,
    weth9: options.wrappedNative,
    v2Factory: options.v2Factory,
    v3Factory: options.v3Factory,
    pairInitCodeHash: keccak256(published.uniswapV2Pair().bytecode),
    poolInitCodeHash: keccak256(published.uniswapV3Pool().bytecode),
    v4PoolManager: options.poolManager,
    v3NFTPositionManager: absent,
    v4PositionManager: absent,
  };
  const permit2Code = readHexLiteral('@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol');
  return [
    { address: permit2, creation: toCreationCode(permit2Code) },
    { address: options.router, creation: creationCode(published.universalRouter(), [parameters]) },
  ];
}
