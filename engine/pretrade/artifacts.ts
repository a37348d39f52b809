export { codeLensArtifact } from '../../contracts/artifacts/lens/CodeLens.ts';
export { routerStandInArtifact } from '../../contracts/artifacts/lens/RouterStandIn.ts';
