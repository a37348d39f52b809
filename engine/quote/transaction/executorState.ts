import { getAddress } from 'viem';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { LruMap } from '../../lruMap.ts';

/**
 * Whether the executor can be used on a chain. `deployed`: it and its families have the code of this release. `missing`: an
 * address has no code or other code. `unread`: no node has answered yet. `withdrawn`: this release or the operator has
 * withdrawn this version.
 */
export type ExecutorState = 'deployed' | 'missing' | 'unread' | 'withdrawn';

/** Versions that a later release found faulty. No transaction is built for them. */
const withdrawnVersions: readonly number[] = [];

/** How long a result is used before the code is read again. */
const recheckMs = { deployed: 600_000, missing: 60_000, unread: 30_000, withdrawn: Number.POSITIVE_INFINITY };

const { executor, families, version } = executorDeployment;

/** The executor of this release. */
export const executorRelease = { version, address: getAddress(executor.address), codeHash: executor.codeHash };

/** Pairs whose trades revert in the executor and fill at a random address, and for how long that is used. */
const maxRefusals = 10_000;
const refusalMs = 600_000;

/** The state of the executor on one chain, from memory. */
export interface ExecutorMemory {
  state(): ExecutorState;
  /** Every plan of these tokens reverted in the executor, and one filled at a random address. */
  isRefused(tokenIn: LowerAddress, tokenOut: LowerAddress): boolean;
  rememberRefusal(tokenIn: LowerAddress, tokenOut: LowerAddress): void;
  isDue(): boolean;
  /** Reads the code at a node and keeps the result. A failed read keeps the last one. */
  read(node: Node): Promise<void>;
}

/** @param withdrawn versions that the operator has withdrawn */
export function createExecutorMemory(now: () => number, withdrawn: readonly number[] = []): ExecutorMemory {
  let state: ExecutorState = [...withdrawnVersions, ...withdrawn].includes(version) ? 'withdrawn' : 'unread';
  let readAt = Number.NEGATIVE_INFINITY;
  const refusals = new LruMap<string, number>(maxRefusals);
  return {
    state: () => state,
    isRefused: (tokenIn, tokenOut) => (refusals.get(`${tokenIn}|${tokenOut}`) ?? 0) > now(),
    rememberRefusal: (tokenIn, tokenOut) => refusals.set(`${tokenIn}|${tokenOut}`, now() + refusalMs),
    isDue: () => now() - readAt >= recheckMs[state],
    async read(node) {
      if (state === 'withdrawn') return;
      readAt = now();
      state = (await hasCode(node)) ? 'deployed' : 'missing';
    },
  };
}

/** @throws {NodeRefusedError} a reply is not code */
async function hasCode(node: Node): Promise<boolean> {
  const contracts = [executor, ...families];
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
      throw new NodeRefusedError(`${node.label} returned an invalid eth_getCode result for ${name}.`);
    return keccak256(reply.result as `0x${string}`) === codeHash;
  });
}
