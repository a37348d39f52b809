/** The engine's storage interfaces. No other file of this folder imports the engine. */
export type {
  AnswerShare,
  Creator,
  FactStore,
  FirstTransfer,
  HolderMeasurement,
  IndexedCreation,
  LowerAddress,
  PoolCreation,
  PowerScan,
  WeightedCreation,
} from '../../engine/index.ts';
export { powerCallers, powerEffects, toLowerAddress } from '../../engine/index.ts';
