/** Compiled contracts that the check places at accounts by state override, for the duration of a call. */
export { codeLensArtifact } from '../../contracts/artifacts/lens/CodeLens.ts';
export { concentratedStandInArtifact } from '../../contracts/artifacts/lens/ConcentratedStandIn.ts';
export { exitHopsArtifact } from '../../contracts/artifacts/lens/ExitHops.ts';
export { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
export { fillLensArtifact } from '../../contracts/artifacts/lens/FillLens.ts';
export { pairStandInArtifact } from '../../contracts/artifacts/lens/PairStandIn.ts';
export { plainRecheckLensArtifact } from '../../contracts/artifacts/lens/PlainRecheckLens.ts';
export { pullerStandInArtifact } from '../../contracts/artifacts/lens/PullerStandIn.ts';
export { recheckLensArtifact } from '../../contracts/artifacts/lens/RecheckLens.ts';
export { roundTripWalletArtifact } from '../../contracts/artifacts/lens/RoundTripWallet.ts';
export { singletonStandInArtifact } from '../../contracts/artifacts/lens/SingletonStandIn.ts';
export { walletStandInArtifact } from '../../contracts/artifacts/lens/WalletStandIn.ts';
