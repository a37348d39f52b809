import { getAddress } from 'viem';
import { executorDeployment } from '../../../contracts/artifacts/executor/deployment.ts';
import { createDeploymentMemory, type DeploymentMemory } from '../../chain/deploymentMemory.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';

/** Versions that a later release found faulty. No transaction is built for them. */
const withdrawnVersions: readonly number[] = [];

const { executor, families, version } = executorDeployment;

/** The executor of this release. */
export const executorRelease = { version, address: getAddress(executor.address), codeHash: executor.codeHash };

/** Pairs that are proven at random addresses, because a token refuses the executor: their number, and for how long. */
const maxRefusals = 10_000;
const refusalMs = 600_000;

/** The state of the executor on one chain, from memory. */
export interface ExecutorMemory extends DeploymentMemory {
  /** Every plan of these tokens reverted in the executor, and one filled at a random address. */
  isRefused(tokenIn: LowerAddress, tokenOut: LowerAddress): boolean;
  rememberRefusal(tokenIn: LowerAddress, tokenOut: LowerAddress): void;
}

/**
 * The state of the executor and its families on one chain.
 * @param withdrawn versions that the operator has withdrawn
 */
export function createExecutorMemory(now: () => number, withdrawn: readonly number[] = []): ExecutorMemory {
  const isWithdrawn = [...withdrawnVersions, ...withdrawn].includes(version);
  const refusals = new Memory<string, true>({ maxEntries: maxRefusals, keptMs: refusalMs, now });
  return {
    ...createDeploymentMemory([executor, ...families], now, { isWithdrawn }),
    isRefused: (tokenIn, tokenOut) => refusals.get(`${tokenIn}|${tokenOut}`) ?? false,
    rememberRefusal: (tokenIn, tokenOut) => refusals.set(`${tokenIn}|${tokenOut}`, true),
  };
}
