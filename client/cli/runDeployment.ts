import { type ContractState, checkContracts, deployContracts, executorContracts } from '../trade/executorCode.ts';
import type { Command } from './commandLine.ts';
import { describeFailure } from './describeFailure.ts';
import { exitCodes } from './exitCodes.ts';
import { findSender } from './findSender.ts';
import { lensContracts } from './lensContracts.ts';
import type { Lines } from './progressLine.ts';
import { table } from './tables.ts';

const contractsOf = { executor: executorContracts, lens: lensContracts };

/**
 * Shows whether a chain has the executor or the lenses of this version, or deploys them.
 * @returns the exit code
 * @throws {UsageError | TransactionFailedError | VerificationError}
 */
export async function runDeployment(
  { name, action, chain, rpcUrl, options }: Command & { name: 'executor' | 'lens' },
  { stdout, env }: { stdout: Lines; env: Record<string, string | undefined> },
): Promise<number> {
  const wanted = contractsOf[name];
  const node = { chain, rpcUrl };
  const transactions =
    action === 'deploy' ? await describeFailure(deployContracts(wanted, { ...node, account: findSender(env) })) : [];
  const contracts = await describeFailure(checkContracts(wanted, node));
  const isReady = contracts.every(({ state }) => state === 'deployed');
  const json = { chain, isReady, contracts, transactions };
  stdout.write(`${options.json ? JSON.stringify(json, null, 2) : show(contracts, transactions)}\n`);
  return isReady ? exitCodes.answered : exitCodes.noUsableAnswer;
}

function show(contracts: readonly ContractState[], transactions: readonly string[]): string {
  const rows = contracts.map(({ name, address, state }) => [name, `${state.padEnd(10)}  ${address}`] as const);
  const sent = transactions.map((hash) => `deployed by transaction ${hash}`);
  return [table(rows), ...sent].join('\n');
}
