import { concat, type Hex } from 'viem';
import { executorDeployment as deployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { weightedFamilyArtifact } from '../../contracts/artifacts/executor/WeightedFamily.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import type { Operator } from './operator.ts';

/** Runtime code of the deterministic deployer, the same on every chain. */
const deployerCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

/** Deploys the executor and its families at their addresses, as any account can on a real chain. */
export async function deployExecutor(node: NodeClient, operator: Operator): Promise<void> {
  await node.call('anvil_setCode', [deployment.deployer, deployerCode]);
  await operator.send(
    [weightedFamilyArtifact, executorArtifact].map(({ bytecode }) => ({
      to: deployment.deployer,
      data: concat([deployment.salt, bytecode]),
    })),
  );
}
