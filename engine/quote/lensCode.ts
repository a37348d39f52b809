/** Compiled contract that reads how accounts can be funded with a token. */
export { fundingLensArtifact } from '../../contracts/artifacts/lens/FundingLens.ts';
/** Compiled contract that executes plans. */
export { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
