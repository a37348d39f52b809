import { type Address, encodeFunctionData, parseAbi, zeroAddress } from 'viem';
import { customPoolMakerArtifact } from '../../contracts/artifacts/testTokens/CustomPoolMaker.ts';
import type { VenuePlan } from '../chainPlan.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { customPoolEntry } from '../venues/algebraIntegral.ts';

/** QuickSwap v4's, as the sandbox's Base has it. */
export const algebraFactory: Address = '0xC5396866754799B9720125B104AE01d935Ab9C7b';
/** Creates custom pools; the creator is part of such a pool's address. */
export const customPoolMakerAddress: Address = derivedAddress('zoo custom pool maker');
/** Lets ether buy, and refuses every sale. */
export const refusingPluginAddress: Address = derivedAddress('zoo plugin that refuses sales');

const abi = parseAbi(['function customPoolByPair(address deployer, address, address) view returns (address)']);

/** Algebra Integral as the sandbox has it, with every pool a custom one, which `poolByPair` does not answer. */
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
