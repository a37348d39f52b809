/** Compiled contract that reads how accounts can be funded with a token. */
export { fundingLensArtifact } from '../../contracts/artifacts/lens/FundingLens.ts';
