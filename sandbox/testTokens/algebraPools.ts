import { type Address, encodeFunctionData, parseAbi, zeroAddress } from 'viem';
import { customPoolMakerArtifact } from '../../contracts/artifacts/testTokens/CustomPoolMaker.ts';
import type { VenuePlan } from '../chainPlan.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { customPoolEntry } from '../venues/algebraIntegral.ts';

/** Factory of QuickSwap v4 on the sandbox's Base. */
export const algebraFactory: Address = '0xC5396866754799B9720125B104AE01d935Ab9C7b';
/** Contract that creates custom pools. The address of a custom pool depends on its creator. */
export const customPoolMakerAddress: Address = derivedAddress('zoo custom pool maker');
/** Algebra plugin that refuses every sale of a test token. */
export const refusingPluginAddress: Address = derivedAddress('zoo plugin that refuses sales');

const abi = parseAbi(['function customPoolByPair(address deployer, address, address) view returns (address)']);

/** The sandbox's Algebra Integral venue with custom pools only. The factory's `poolByPair` does not return them. */
export function customPoolVenue(integral: VenuePlan, plugin: Address = zeroAddress): VenuePlan {
  return {
    ...integral,
    open: ({ token0, token1 }) => [
      {
        to: customPoolMakerAddress,
        data: encodeFunctionData({
          abi: customPoolMakerArtifact.abi,
          functionName: 'create',
          args: [customPoolEntry, token0, token1, plugin],
        }),
      },
    ],
    locate: ({ token0, token1 }) => ({
      to: algebraFactory,
      data: encodeFunctionData({
        abi,
        functionName: 'customPoolByPair',
        args: [customPoolMakerAddress, token0, token1],
      }),
    }),
  };
}
