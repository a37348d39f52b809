import { type Address, encodeFunctionData } from 'viem';
import { priceFeedArtifact } from '../../contracts/artifacts/sandbox/PriceFeed.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';

/** Sets answer, startedAt and updatedAt of a sandbox feed. Any account may do it. */
export async function setFeed(
  chain: SandboxChain,
  from: Address,
  feed: Address,
  values: readonly [bigint, bigint, bigint],
): Promise<void> {
  const data = encodeFunctionData({ abi: priceFeedArtifact.abi, functionName: 'set', args: values });
  const replies = await loopbackEndpoint(chain.rpcUrl).send(
    [
      { method: 'anvil_impersonateAccount', params: [from] },
      { method: 'eth_sendTransaction', params: [{ from, to: feed, data, gas: '0x30d40' }] },
      { method: 'evm_mine', params: [] },
    ],
    { signal: AbortSignal.timeout(10_000) },
  );
  const refused = replies.find((reply) => 'error' in reply);
  if (refused) throw new Error(`The feed was not set: ${JSON.stringify(refused)}`);
}
