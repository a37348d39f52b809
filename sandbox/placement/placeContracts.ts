import type { Hex } from 'viem';
import type { Placement } from '../chainPlan.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import type { Operator } from './operator.ts';

/** A constructor returned no code, so the address would have no contract. */
class PlacementError extends Error {
  override readonly name = 'PlacementError';
}

/**
 * Places contracts at chosen addresses as if they had been deployed there. The node sets the creation code at the address
 * and calls it, which returns the runtime code with the right immutables. A transaction to the address then writes the
 * constructor's storage. Copied runtime code would have wrong immutables and owners.
 * @throws {PlacementError | NodeCallError}
 */
export async function placeContracts(
  node: NodeClient,
  operator: Operator,
  placements: readonly Placement[],
): Promise<void> {
  await setCode(
    node,
    placements.map(({ address, creation }) => [address, creation]),
  );
  const runtimes = await node.batch<Hex>(
    placements.map(({ address }) => ({
      method: 'eth_call',
      params: [{ from: operator.address, to: address }, 'latest'],
    })),
  );
  const empty = placements.find((_, index) => (runtimes[index] ?? '0x') === '0x');
  if (empty) throw new PlacementError(`The constructor for ${empty.address} returned no code.`);
  await operator.send(placements.map(({ address }) => ({ to: address })));
  await setCode(
    node,
    placements.map(({ address }, index) => [address, runtimes[index] ?? '0x']),
  );
  await node.batch(
    placements.flatMap(({ address, storage = {} }) =>
      Object.entries(storage).map(([slot, word]) => ({ method: 'anvil_setStorageAt', params: [address, slot, word] })),
    ),
  );
}

async function setCode(node: NodeClient, codes: readonly (readonly [string, Hex])[]): Promise<void> {
  await node.batch(codes.map((params) => ({ method: 'anvil_setCode', params })));
}
