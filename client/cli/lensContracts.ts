import { concat } from 'viem';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { DeployableContract } from '../trade/executorCode.ts';

const codes = { KnownPoolsLens: knownPoolsLensArtifact.runtime, StateLens: stateLensArtifact.runtime };

/** The lenses that the service uses where a chain has them. */
export const lensContracts: readonly DeployableContract[] = lensDeployment.lenses.map(
  ({ name, address, codeHash, creationPrefix }) => ({
    name,
    address,
    codeHash,
    creationCode: concat([creationPrefix, codes[name]]),
  }),
);
