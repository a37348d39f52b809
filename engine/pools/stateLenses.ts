import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { LensCode } from '../chain/lensCall.ts';

type Deployed = (typeof lensDeployment.lenses)[number]['name'];

const withAddress = ({ runtime }: LensCode, name: Deployed): LensCode => {
  const address = lensDeployment.lenses.find((lens) => lens.name === name)?.address;
  return { runtime, ...(address && { deployedAt: address }) };
};

export const knownPoolsLens = withAddress(knownPoolsLensArtifact, 'KnownPoolsLens');
export const stateLens = withAddress(stateLensArtifact, 'StateLens');

/**
 * The state lens for a call that also executes routes. A token could measure that the deployed lens was used in the call, so
 * the call contains the code (ADR 014).
 */
export const tradingStateLens: LensCode = { runtime: stateLensArtifact.runtime };
