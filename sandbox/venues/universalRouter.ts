import { type Address, keccak256 } from 'viem';
import type { Placement } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { returning } from '../placement/returning.ts';
import { published } from '../published/published.ts';
import { readHexLiteral } from '../published/readPublished.ts';

const permit2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

interface UniversalRouterPlace {
  router: Address;
  wrappedNative: Address;
  v2Factory: Address;
  v3Factory: Address;
  poolManager: Address;
}

/** Uniswap's Universal Router 2.0 and Permit2. Commands for position managers fail, because there are none. */
export function placeUniversalRouter(place: UniversalRouterPlace): Placement[] {
  const absent = derivedAddress('position manager');
  const parameters = {
    permit2,
    weth9: place.wrappedNative,
    v2Factory: place.v2Factory,
    v3Factory: place.v3Factory,
    pairInitCodeHash: keccak256(published.uniswapV2Pair().bytecode),
    poolInitCodeHash: keccak256(published.uniswapV3Pool().bytecode),
    v4PoolManager: place.poolManager,
    v3NFTPositionManager: absent,
    v4PositionManager: absent,
  };
  const permit2Code = readHexLiteral('@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol');
  return [
    { address: permit2, creation: returning(permit2Code) },
    { address: place.router, creation: creationCode(published.universalRouter(), [parameters]) },
  ];
}
