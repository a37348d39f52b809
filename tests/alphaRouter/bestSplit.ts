import type { Address } from 'viem';
import { createLensCaller } from '../../engine/chain/lensCall.ts';
import { createNodes } from '../../engine/chain/nodes.ts';
import { toLowerAddress } from '../../engine/lowerAddress.ts';
import { createStateSource, readMarketStates } from '../../engine/pools/readPools.ts';
import type { FilledPlan } from '../../engine/quote/search/planTypes.ts';
import { searchFor } from '../../engine/quote/searchFor.ts';
import { deployments } from '../../engine/venues/deployments/deployments.ts';
import { toCandidatePools } from '../../engine/venues/toCandidatePools.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';

interface Order {
  tokenIn: Address;
  tokenOut: Address;
  amountIn: bigint;
}

/** Finds the plan that the engine would choose at the latest block without the 5 bps minimum gain of a split. */
export function createSplitter({ rpcUrl, name }: SandboxChain): (order: Order) => Promise<FilledPlan | undefined> {
  const deployment = deployments[name];
  const source = createStateSource(deployment, toCandidatePools(deployment.venues), createLensCaller());
  const endpoints = [loopbackEndpoint(rpcUrl)];
  const nodes = createNodes({ chain: name, endpoints, now: Date.now, deadlineMs: 30_000, probe: async () => {} });
  return async (order) => {
    const { tokenIn, tokenOut } = { tokenIn: toLowerAddress(order.tokenIn), tokenOut: toLowerAddress(order.tokenOut) };
    const states = await nodes.read((node) => readMarketStates(source, { tokenIn, tokenOut }, node, 'latest'));
    return searchFor({ deployment }, states, { ...order, tokenIn, tokenOut }, { leastGainBps: 0n }).best;
  };
}
