import { concat, type Hex } from 'viem';
import { executorDeployment as deployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { weightedFamilyArtifact } from '../../contracts/artifacts/executor/WeightedFamily.ts';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import type { Operator } from './operator.ts';

/** Runtime code of the deterministic deployer, the same on every chain. */
const deployerCode: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

const lensCodes = { KnownPoolsLens: knownPoolsLensArtifact.runtime, StateLens: stateLensArtifact.runtime };

/** Deploys the executor, its families and the lenses at their addresses, as any account can on a real chain. */
export async function deployContracts(node: NodeClient, operator: Operator): Promise<void> {
  await node.call('anvil_setCode', [deployment.deployer, deployerCode]);
  const lenses = lensDeployment.lenses.map(({ name, creationPrefix }) => concat([creationPrefix, lensCodes[name]]));
  await operator.send(
    [weightedFamilyArtifact.bytecode, executorArtifact.bytecode, ...lenses].map((code) => ({
      to: deployment.deployer,
      data: concat([deployment.salt, code]),
    })),
  );
}
