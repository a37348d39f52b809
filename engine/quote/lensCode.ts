/** Compiled contracts that fund accounts by calls of a holder. */

/** Compiled contracts that execute plans: one without weighted pools, and one with all kinds of pools. */
export { commonPlanLensArtifact } from '../../contracts/artifacts/lens/CommonPlanLens.ts';
export { funderArtifact } from '../../contracts/artifacts/lens/Funder.ts';
/** Compiled contract that reads how accounts can be funded with a token. */
export { fundingLensArtifact } from '../../contracts/artifacts/lens/FundingLens.ts';
export { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
export { sendingWalletArtifact } from '../../contracts/artifacts/lens/SendingWallet.ts';
/** Compiled contract that executes sales without a payment. */
export { unpaidLensArtifact } from '../../contracts/artifacts/lens/UnpaidLens.ts';
