/** The engine's storage interfaces; this folder imports no other part of the engine. */
export type {
  AnswerShare,
  Creator,
  FactStore,
  FirstTransfer,
  HolderMeasurement,
  LowerAddress,
  PoolCreation,
  PowerScan,
} from '../../engine/index.ts';
export { powerCallers, powerEffects, toLowerAddress } from '../../engine/index.ts';
