import type { Address, Hex } from 'viem';
import { keccak256 } from '../keccak256.ts';
import { CodeUnreadError, type Node } from './node.ts';

/**
 * Whether contracts can be used on a chain. `deployed`: all of them have the code of this release. `missing`: an address
 * has no code or other code. `unread`: no node has answered yet. `withdrawn`: this release or the operator has withdrawn
 * them.
 */
export type DeploymentState = 'deployed' | 'missing' | 'unread' | 'withdrawn';

/** How long a result is used before the code is read again. */
const recheckMs = { deployed: 600_000, missing: 60_000, unread: 30_000 };

interface DeployedContract {
  name: string;
  address: Address;
  codeHash: Hex;
}

/** The state of contracts on one chain, from memory. */
export interface DeploymentMemory {
  state(): DeploymentState;
  isDue(): boolean;
  /** Reads the code at a node and keeps the result. A failed read keeps the last one. */
  read(node: Node): Promise<void>;
  /**
   * Call if a node returned nothing for a deployed contract, and an answer for the same call with its code. Calls contain
   * the code until it is read again: one wrong `eth_getCode` result must not cost each call a second request.
   */
  doubt(): void;
}

export function createDeploymentMemory(
  contracts: readonly DeployedContract[],
  now: () => number,
  { isWithdrawn = false }: { isWithdrawn?: boolean } = {},
): DeploymentMemory {
  let state: DeploymentState = isWithdrawn ? 'withdrawn' : 'unread';
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    state: () => state,
    isDue: () => state !== 'withdrawn' && now() - readAt >= recheckMs[state],
    async read(node) {
      if (state === 'withdrawn') return;
      readAt = now();
      state = (await haveCode(node, contracts)) ? 'deployed' : 'missing';
    },
    doubt() {
      if (state !== 'deployed') return;
      state = 'unread';
      readAt = now();
    },
  };
}

/** @throws {CodeUnreadError} a reply is not code */
async function haveCode(node: Node, contracts: readonly DeployedContract[]): Promise<boolean> {
  const calls = contracts.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'] }));
  const replies = await node.send(calls);
  return contracts.every(({ codeHash, name }, index) => {
    const reply = replies[index];
    if (
      !reply ||
      !('result' in reply) ||
      typeof reply.result !== 'string' ||
      !/^0x(?:[0-9a-f]{2})*$/i.test(reply.result)
    )
      throw new CodeUnreadError(`${node.label} returned an invalid eth_getCode result for ${name}.`);
    return keccak256(reply.result as Hex) === codeHash;
  });
}
