import { commonPoolsLensArtifact } from '../../contracts/artifacts/lens/CommonPoolsLens.ts';
import { knownPoolsLensArtifact } from '../../contracts/artifacts/lens/KnownPoolsLens.ts';
import { stateLensArtifact } from '../../contracts/artifacts/lens/StateLens.ts';
import { lensDeployment } from '../../contracts/artifacts/lensDeployment.ts';
import type { LensCode } from '../chain/lensCall.ts';
import { kinds } from '../venues/kinds.ts';
import type { KnownPool } from './stateQuery.ts';

type Deployed = (typeof lensDeployment.lenses)[number]['name'];

const withAddress = ({ runtime }: LensCode, name: Deployed): LensCode => {
  const address = lensDeployment.lenses.find((lens) => lens.name === name)?.address;
  return { runtime, ...(address && { deployedAt: address }) };
};

export const stateLens = withAddress(stateLensArtifact, 'StateLens');

/**
 * The state lens for a call that also executes routes. A token could measure that the deployed lens was used in the call, so
 * the call contains the code (ADR 014).
 */
export const tradingStateLens: LensCode = { runtime: stateLensArtifact.runtime };

const knownPoolsLens = withAddress(knownPoolsLensArtifact, 'KnownPoolsLens');
/** Shorter code for a chain without the deployed lens, which returns the same. */
const commonPoolsLens = withAddress(commonPoolsLensArtifact, 'KnownPoolsLens');

/** Kinds that contracts/lens/RarePoolStates.sol reads. */
const rareKinds: readonly number[] = [kinds.algebra, kinds.selfPricedPair, kinds.weighted];

/** The lens that reads these pools without look-ups. */
export const knownLensOf = (known: readonly KnownPool[]): LensCode =>
  known.some(({ ref }) => rareKinds.includes(ref.candidatePool.kind)) ? knownPoolsLens : commonPoolsLens;
