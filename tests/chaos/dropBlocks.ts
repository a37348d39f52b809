import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { ChaosWorld } from './chaosWorld.ts';
import type { Dice } from './dice.ts';

interface Transaction {
  hash: Hex;
  from: Hex;
}

const deepest = 3;
/** So long a block with a settlement in it is waited for. */
const lurkMs = 5_000;

/**
 * A reorganisation that takes a settlement of ours, when there is one within reach: the last blocks are gone, with what
 * was in them. Some of their transactions are brought to the next blocks by those who still have them, in an order of
 * their own; the others are forgotten.
 *
 * @returns the transactions that were in a block that is gone
 */
export async function dropBlocks({ node, walletOf }: ChaosWorld, chain: SandboxChain, dice: Dice): Promise<Hex[]> {
  const settler = walletOf('facilitator').address.toLowerCase();
  /** Newest block first. */
  async function readLast(): Promise<Transaction[][]> {
    const head = Number(await node<Hex>(chain, 'eth_blockNumber'));
    const numbers = Array.from({ length: deepest }, (_, back) => `0x${(head - back).toString(16)}`);
    const blocks = await Promise.all(
      numbers.map((number) =>
        node<{ transactions: Transaction[] } | null>(chain, 'eth_getBlockByNumber', [number, true]),
      ),
    );
    return blocks.map((block) => block?.transactions ?? []);
  }
  const isOurs = (block: Transaction[]) => block.some(({ from }) => from.toLowerCase() === settler);
  let last = await readLast();
  for (let waited = 0; waited < lurkMs && !last.some(isOurs); waited += 100) {
    await sleep(100);
    last = await readLast();
  }

  // No block comes between the look and the cut.
  await node(chain, 'evm_setIntervalMining', [0]);
  last = await readLast();
  const depth = Math.max(dice.between(1, deepest), last.findIndex(isOurs) + 1);
  const dropped = last.slice(0, depth).flat();
  const kept: Hex[] = [];
  for (const { hash } of dropped)
    if (dice.chance(0.5)) kept.push(await node<Hex>(chain, 'debug_getRawTransaction', [hash]));
  await node(chain, 'anvil_reorg', [depth, []]);
  await node(chain, 'evm_setIntervalMining', [1]);
  // One that cannot be had any more is one of those that are forgotten.
  for (const raw of kept) await node(chain, 'eth_sendRawTransaction', [raw]).catch(() => undefined);
  return dropped.map(({ hash }) => hash);
}
