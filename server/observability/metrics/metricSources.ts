import type { ChainName, Engine, PoolIndexState } from '../../../engine/index.ts';
import type { GasLeft, QueueState, SettlementObstacle } from '../../payments/index.ts';
import type { OpenPayments } from '../../storage/index.ts';
import type { LogSearchState } from '../../vendors/index.ts';

/** Inputs of a metrics scrape. Only `readOpenPayments` does I/O; none sends an RPC request. */
export interface MetricSources {
  mode: 'sandbox' | 'live';
  engine: Pick<Engine, 'chains' | 'chainState' | 'nodeStates'>;
  /** By chain. */
  poolIndexes(): Partial<Record<ChainName, PoolIndexState>>;
  /** Searches in token logs. */
  logSearches(): LogSearchState;
  /** By network. */
  gasLeft(): Record<string, GasLeft>;
  /** By network: `ok`, or why it is not offered. */
  settlement(): Record<string, SettlementObstacle | 'ok'>;
  /** By network, for networks that settle in groups. */
  queues(): Record<string, QueueState>;
  isDraining(): boolean;
  /** One small query. @throws {DatabaseUnavailableError} */
  readOpenPayments(): Promise<OpenPayments[]>;
  now(): number;
}
