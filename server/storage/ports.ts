/** What the engine keeps through us; the one way from this room to it. */
export type {
  AnswerShare,
  Creator,
  FactStore,
  FirstTransfer,
  HolderMeasurement,
  PoolCreation,
  PowerScan,
} from '../../engine/index.ts';
export { powerCallers, powerEffects } from '../../engine/index.ts';
