import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  keccak256,
  numberToHex,
  parseAbi,
  toHex,
} from 'viem';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import type { PoolSeed, VenuePlan } from '../chainPlan.ts';
import { fullRangeLiquidity, seedTicks, startPrice } from '../market/concentratedMaths.ts';
import { makerAddress } from '../market/maker.ts';

/** Uniswap v4 reads a hook's permissions from the low 14 bits of its address. Bit 7 is beforeSwap. */
const beforeSwap = 1n << 7n;
const random = BigInt(keccak256(toHex('truefill zoo: the hook that refuses sales'))) & ((1n << 160n) - 1n);
export const refusingHookAddress: Address = getAddress(
  numberToHex(((random >> 14n) << 14n) | beforeSwap, { size: 20 }),
);

const abi = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function initialize(PoolKey key, uint160 price) returns (int24)',
]);
const fee = 3000;
const tickSpacing = 60;

/** The sandbox's Uniswap v4 venue, with the hook that refuses sales in every pool. */
export function refusingVenue(v4: VenuePlan): VenuePlan {
  if (v4.swap.kind !== 'v4') throw new TypeError(`${v4.venue} is not a Uniswap v4 venue.`);
  const { manager } = v4.swap;
  const keyOf = ({ token0, token1 }: PoolSeed) => ({
    currency0: token0,
    currency1: token1,
    fee,
    tickSpacing,
    hooks: refusingHookAddress,
  });
  return {
    ...v4,
    open: (seed) => [
      {
        to: manager,
        data: encodeFunctionData({ abi, functionName: 'initialize', args: [keyOf(seed), startPrice(seed)] }),
      },
    ],
    locate: (seed) => {
      const key = keyOf(seed);
      const types = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }));
      return { id: keccak256(encodeAbiParameters(types, Object.values(key))), key };
    },
    fill: (seed) => {
      const [tickLower, tickUpper] = seedTicks(seed, tickSpacing);
      const params = {
        tickLower,
        tickUpper,
        liquidityDelta: fullRangeLiquidity(seed),
        salt: numberToHex(0, { size: 32 }),
      };
      const args = [manager, keyOf(seed), params] as const;
      return [
        {
          to: makerAddress,
          data: encodeFunctionData({ abi: marketMakerArtifact.abi, functionName: 'addV4Liquidity', args }),
        },
      ];
    },
  };
}
