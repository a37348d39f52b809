import type { Engine } from '../../../engine/index.ts';
import type { GasLeft, QueueState } from '../../payments/index.ts';
import type { OpenPayments } from '../../storage/index.ts';

/** What a scrape reads. Everything except the store's query comes from memory; no RPC request is sent. */
export interface MetricSources {
  mode: 'sandbox' | 'live';
  engine: Pick<Engine, 'chains' | 'chainState' | 'nodeStates'>;
  /** By network. */
  gasLeft(): Record<string, GasLeft>;
  /** By network that settles in groups. */
  queues(): Record<string, QueueState>;
  isDraining(): boolean;
  /** One small query. @throws {DatabaseUnavailableError} */
  readOpenPayments(): Promise<OpenPayments[]>;
  now(): number;
}
