import type { Engine } from '../../../engine/index.ts';
import type { GasLeft } from '../../payments/index.ts';
import type { OpenPayments } from '../../storage/index.ts';

/** What is looked up when somebody asks for the metrics. All but the store's answer is from memory; no RPC is asked. */
export interface MetricSources {
  mode: 'sandbox' | 'live';
  engine: Pick<Engine, 'chains' | 'chainState' | 'nodeStates'>;
  /** By network. */
  gasLeft(): Record<string, GasLeft>;
  isDraining(): boolean;
  /** One small query. @throws {DatabaseUnavailableError} */
  readOpenPayments(): Promise<OpenPayments[]>;
  now(): number;
}
