import { type Node, newNodeMemory } from '../../../engine/chain/node.ts';

/** A node for tests that replies with `send`. @param memory by default, the chain id is verified */
export function testNode(
  { chain, send }: Pick<Node, 'chain' | 'send'>,
  memory: Partial<Node['memory']> = { checked: true },
): Node {
  return {
    ...{ chain, send, label: `${chain}-1`, hashes: { proven: false }, block: undefined },
    memory: { ...newNodeMemory(), ...memory },
  };
}
