import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ChainData } from '../chainData.ts';
import { findFunding } from './findFunding.ts';
import type { KnownFunding } from './fundingMemory.ts';

/**
 * How accounts are funded with a token, from memory or from the node.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function loadFunding(
  data: Pick<ChainData, 'deployment' | 'funding'>,
  node: Node,
  token: LowerAddress,
): Promise<KnownFunding | undefined> {
  const known = data.funding.get(token);
  if (known !== undefined) return known;
  const found = await findFunding(node, token);
  if (found !== undefined) data.funding.set(token, found);
  return found;
}
