/** Compiled contracts that fund accounts by calls of a holder. */
export { funderArtifact } from '../../contracts/artifacts/lens/Funder.ts';
/** Compiled contract that reads how accounts can be funded with a token. */
export { fundingLensArtifact } from '../../contracts/artifacts/lens/FundingLens.ts';
/** Compiled contract that executes plans. */
export { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
export { sendingWalletArtifact } from '../../contracts/artifacts/lens/SendingWallet.ts';
