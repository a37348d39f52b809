import type { Hex } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';

interface Block {
  transactions: Hex[];
}

/**
 * A reorganisation: the last blocks are gone, with what was in them. Some of their transactions are brought to the next
 * blocks by those who still have them, in an order of their own; the others are forgotten.
 *
 * @returns the transactions that were in a block that is gone
 */
export async function dropBlocks({ node }: ChaosWorld, chain: SandboxChain, dice: Dice): Promise<Hex[]> {
  const depth = dice.between(1, 3);
  const head = Number(await node<Hex>(chain, 'eth_blockNumber'));
  const dropped: Hex[] = [];
  const kept: Hex[] = [];
  for (let block = head - depth + 1; block <= head + 1; block += 1) {
    const found = await node<Block | null>(chain, 'eth_getBlockByNumber', [`0x${block.toString(16)}`, false]);
    for (const hash of found?.transactions ?? []) {
      dropped.push(hash);
      if (dice.chance(0.5)) kept.push(await node<Hex>(chain, 'debug_getRawTransaction', [hash]));
    }
  }
  await node(chain, 'anvil_reorg', [depth, []]);
  // One that cannot be had any more is one of those that are forgotten.
  for (const raw of kept.toReversed()) await node(chain, 'eth_sendRawTransaction', [raw]).catch(() => undefined);
  return dropped;
}
