import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { Random } from './random.ts';

interface Transaction {
  hash: Hex;
  from: Hex;
}

/** Maximum number of blocks. */
const maxDepth = 3;
/** How long to wait for a block with a settlement. */
const watchMs = 5_000;

/**
 * Reorganises the last blocks, preferably including one of our settlements. Half of the dropped transactions are
 * sent again; the others are lost.
 *
 * @returns all transactions of the dropped blocks
 */
export async function dropBlocks(
  { node, walletOf }: ChaosEnvironment,
  chain: SandboxChain,
  random: Random,
): Promise<Hex[]> {
  const settler = walletOf('facilitator').address.toLowerCase();
  /** Newest block first. */
  async function readLast(): Promise<Transaction[][]> {
    const head = Number(await node<Hex>(chain, 'eth_blockNumber'));
    const numbers = Array.from({ length: maxDepth }, (_, back) => `0x${(head - back).toString(16)}`);
    const blocks = await Promise.all(
      numbers.map((number) =>
        node<{ transactions: Transaction[] } | null>(chain, 'eth_getBlockByNumber', [number, true]),
      ),
    );
    return blocks.map((block) => block?.transactions ?? []);
  }
  const isOurs = (block: Transaction[]) => block.some(({ from }) => from.toLowerCase() === settler);
  let last = await readLast();
  for (let waited = 0; waited < watchMs && !last.some(isOurs); waited += 100) {
    await sleep(100);
    last = await readLast();
  }

  // Stop mining, so that no block arrives between the read and the reorganisation.
  await node(chain, 'evm_setIntervalMining', [0]);
  last = await readLast();
  const depth = Math.max(random.between(1, maxDepth), last.findIndex(isOurs) + 1);
  const dropped = last.slice(0, depth).flat();
  const kept: Hex[] = [];
  for (const { hash } of dropped)
    if (random.chance(0.5)) kept.push(await node<Hex>(chain, 'debug_getRawTransaction', [hash]));
  await node(chain, 'anvil_reorg', [depth, []]);
  await node(chain, 'evm_setIntervalMining', [1]);
  // Ignore rejected transactions: they count as lost.
  for (const raw of kept) await node(chain, 'eth_sendRawTransaction', [raw]).catch(() => undefined);
  return dropped.map(({ hash }) => hash);
}
