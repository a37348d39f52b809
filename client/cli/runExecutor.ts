import { checkExecutor, deployExecutor, type ExecutorContract } from '../trade/executorCode.ts';
import type { Command } from './commandLine.ts';
import { describeFailure } from './describeFailure.ts';
import { exitCodes } from './exitCodes.ts';
import { findSender } from './findSender.ts';
import type { Lines } from './progressLine.ts';
import { table } from './tables.ts';

/**
 * Shows whether a chain has the executor of this version, or deploys it.
 * @returns the exit code
 * @throws {UsageError | TransactionFailedError | VerificationError}
 */
export async function runExecutor(
  { action, chain, rpcUrl, options }: Command & { name: 'executor' },
  { stdout, env }: { stdout: Lines; env: Record<string, string | undefined> },
): Promise<number> {
  const transactions =
    action === 'deploy' ? await describeFailure(deployExecutor({ chain, rpcUrl, account: findSender(env) })) : [];
  const contracts = await describeFailure(checkExecutor({ chain, rpcUrl }));
  const isReady = contracts.every(({ state }) => state === 'deployed');
  const json = { chain, isReady, contracts, transactions };
  stdout.write(`${options.json ? JSON.stringify(json, null, 2) : show(contracts, transactions)}\n`);
  return isReady ? exitCodes.answered : exitCodes.noUsableAnswer;
}

function show(contracts: readonly ExecutorContract[], transactions: readonly string[]): string {
  const rows = contracts.map(({ name, address, state }) => [name, `${state.padEnd(10)}  ${address}`] as const);
  const sent = transactions.map((hash) => `deployed by transaction ${hash}`);
  return [table(rows), ...sent].join('\n');
}
