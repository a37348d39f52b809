// Exports for tools, in addition to engine/index.ts. The service does not import this file.
export { unpackCall, unpackWords } from '../chain/packedWords.ts';
export { toLowerAddress } from '../lowerAddress.ts';
export { decodeStates } from '../pools/decodeStates.ts';
export { stateSelector } from '../pools/encodeStateCall.ts';
export { toStateQuery } from '../pools/stateQuery.ts';
export { exitSelector } from '../pretrade/exit/encodeExit.ts';
export { probeSelector } from '../quote/plan/encodeExecution.ts';
export { b20Singletons } from '../venues/b20/b20.ts';
export { deployments } from '../venues/deployments/deployments.ts';
export { derivations } from '../venues/deployments/derivations.ts';
export { type Derivation, derivePool } from '../venues/derivePool.ts';
export { toCandidatePools } from '../venues/families.ts';
export { kinds } from '../venues/kinds.ts';
export { swap } from '../venues/models.ts';
export type { Pool, PoolState } from '../venues/poolTypes.ts';
export { lensConstants } from './lensConstants.ts';
