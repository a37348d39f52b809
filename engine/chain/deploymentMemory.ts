import type { Address, Hex } from 'viem';
import { keccak256 } from '../keccak256.ts';
import { resultOf } from './batch.ts';
import { CodeUnreadError, type Node, type NodeMemory } from './node.ts';
import { sendWithHeader } from './pinBlock.ts';

/**
 * Whether contracts can be used on a chain. `deployed`: all of them have the code of this release. `missing`: an address
 * has no code or other code. `unread`: no node has answered yet, or all nodes contradict an earlier result. `withdrawn`:
 * this release or the operator has withdrawn them.
 */
export type DeploymentState = 'deployed' | 'missing' | 'unread' | 'withdrawn';

/** How long a result is used before the code is read again. */
const recheckMs = { deployed: 600_000, missing: 60_000, unread: 30_000 };
/** How long calls contain the code at a node that does not have it. */
const placedMs = 30_000;

interface DeployedContract {
  name: string;
  address: Address;
  codeHash: Hex;
}

/** The nodes of a chain (`nodes.ts`). */
interface CodeNodes {
  read<T>(at: (node: Node) => Promise<T>): Promise<T>;
  readEach<T>(at: (node: Node) => Promise<T>): Promise<PromiseSettledResult<T>[]>;
}

/** The state of contracts on one chain, from memory. */
export interface DeploymentMemory {
  /** Of the chain. One node without the code does not change it. */
  state(): DeploymentState;
  /** Whether calls at this node may omit the code. */
  isUsableAt(node: Pick<Node, 'memory'>): boolean;
  isDue(): boolean;
  /**
   * Reads the code at one node. If it has none, reads it at every node: one that lags or pruned its state has no code
   * either. If the chain had the code before, a second such result is needed for `missing`. A failed read keeps the last
   * result.
   * @throws {ChainUnavailableError | DeadlineExceededError}
   */
  read(nodes: CodeNodes): Promise<void>;
  /**
   * Call if a node returned nothing for a deployed contract, and an answer for the same call with its code. Calls at this
   * node contain the code for a while: one wrong `eth_getCode` result must not cost each call a second request. The
   * code is due to be read again.
   */
  sawMissing(node: Pick<Node, 'memory'>): void;
}

export function createDeploymentMemory(
  contracts: readonly DeployedContract[],
  now: () => number,
  { isWithdrawn = false }: { isWithdrawn?: boolean } = {},
): DeploymentMemory {
  let state: DeploymentState = isWithdrawn ? 'withdrawn' : 'unread';
  let readAt = Number.NEGATIVE_INFINITY;
  let isContradicted = false;
  const placedUntil = new WeakMap<NodeMemory, number>();
  return {
    state: () => state,
    isUsableAt: ({ memory }) => state === 'deployed' && (placedUntil.get(memory) ?? 0) <= now(),
    isDue: () => state !== 'withdrawn' && (isContradicted || now() - readAt >= recheckMs[state]),
    async read(nodes) {
      if (state === 'withdrawn') return;
      readAt = now();
      const read = (node: Node) => haveCode(node, contracts);
      const isAtFirst = await nodes.read(read);
      const others = isAtFirst ? [] : await nodes.readEach(read);
      const isDeployed = isAtFirst || others.some((result) => result.status === 'fulfilled' && result.value);
      const isEveryRead = others.every(({ status }) => status === 'fulfilled');
      isContradicted = false;
      if (isDeployed) state = 'deployed';
      else if (state !== 'deployed') state = 'missing';
      else if (isEveryRead) state = 'unread';
    },
    sawMissing({ memory }) {
      placedUntil.set(memory, now() + placedMs);
      isContradicted = true;
    },
  };
}

/** @throws {CodeUnreadError} a reply is not code */
async function haveCode(node: Node, contracts: readonly DeployedContract[]): Promise<boolean> {
  const calls = contracts.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] }));
  // With the chain id: the addresses are the same on every chain.
  const { replies } = await sendWithHeader(node, 'latest', calls);
  return contracts.every(({ codeHash, name }, index) => {
    const code = resultOf(replies[index]);
    if (typeof code !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(code))
      throw new CodeUnreadError(`${node.label} returned an invalid eth_getCode result for ${name}.`);
    return keccak256(code as Hex) === codeHash;
  });
}
