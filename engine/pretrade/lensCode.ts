/** Compiled contracts that the check lays over accounts of a node, for the time of a call. */
export { codeLensArtifact } from '../../contracts/artifacts/lens/CodeLens.ts';
export { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
export { routerStandInArtifact } from '../../contracts/artifacts/lens/RouterStandIn.ts';
