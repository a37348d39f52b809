import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { SandboxChain } from '../../sandbox/index.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { Random } from './random.ts';

interface Transaction {
  hash: Hex;
  from: Hex;
}

/** Maximum number of dropped blocks: two seconds of Base. */
const maxDepth = 10;
/** Timeout of the wait for a block with a settlement. */
const settlementTimeoutMs = 5_000;

/**
 * Replaces the last blocks by empty ones, if possible including one with a settlement. Sends half of the dropped
 * transactions again; the others are lost.
 *
 * @returns all transactions of the dropped blocks
 */
export async function dropBlocks(
  { node, sandbox, walletOf }: ChaosEnvironment,
  chain: SandboxChain,
  random: Random,
): Promise<Hex[]> {
  const facilitator = walletOf('facilitator').address.toLowerCase();
  /** Transactions of the last blocks, newest block first. */
  async function readLastBlocks(): Promise<Transaction[][]> {
    const head = Number(await node<Hex>(chain, 'eth_blockNumber'));
    const numbers = Array.from({ length: maxDepth }, (_, back) => `0x${(head - back).toString(16)}`);
    const blocks = await Promise.all(
      numbers.map((number) =>
        node<{ transactions: Transaction[] } | null>(chain, 'eth_getBlockByNumber', [number, true]),
      ),
    );
    return blocks.map((block) => block?.transactions ?? []);
  }
  const hasSettlement = (block: Transaction[]) => block.some(({ from }) => from.toLowerCase() === facilitator);
  let lastBlocks = await readLastBlocks();
  for (let waited = 0; waited < settlementTimeoutMs && !lastBlocks.some(hasSettlement); waited += 100) {
    await sleep(100);
    lastBlocks = await readLastBlocks();
  }

  // Stop mining, so that no block is added between the read and the reorganisation.
  await sandbox.mining[chain.name]?.pause();
  lastBlocks = await readLastBlocks();
  const depth = Math.max(random.between(1, maxDepth), lastBlocks.findIndex(hasSettlement) + 1);
  const dropped = lastBlocks.slice(0, depth).flat();
  const resent: Hex[] = [];
  for (const { hash } of dropped)
    if (random.chance(0.5)) resent.push(await node<Hex>(chain, 'debug_getRawTransaction', [hash]));
  await node(chain, 'anvil_reorg', [depth, []]);
  sandbox.mining[chain.name]?.resume();
  // Rejected transactions count as lost.
  for (const raw of resent) await node(chain, 'eth_sendRawTransaction', [raw]).catch(() => undefined);
  return dropped.map(({ hash }) => hash);
}
