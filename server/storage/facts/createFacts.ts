import type { Database } from '../database/database.ts';
import type { FactStore } from '../ports.ts';
import { createCreators } from './creators.ts';
import { createFirstTransfers } from './firstTransfers.ts';
import { createHolderMeasurements } from './holderMeasurements.ts';
import { createLogIndexStore, type LogIndexStore } from './logIndexes.ts';
import { createPoolIndexStore, type PoolIndexStore } from './poolIndexes.ts';
import { createPowerScans } from './powerScans.ts';

export interface Facts {
  store: FactStore;
  logIndexes: LogIndexStore;
  poolIndex: PoolIndexStore;
}

/** Stored facts about one chain's tokens. @param pools the database of indexes, which can be read from the chain again */
export function createFacts(database: Database, chain: string, pools: Database): Facts {
  const firstTransfers = createFirstTransfers(database, chain);
  const creators = createCreators(database, chain);
  const holders = createHolderMeasurements(database, chain);
  const powers = createPowerScans(database, chain);
  return {
    store: {
      loadFirstTransfer: firstTransfers.load,
      saveFirstTransfer: firstTransfers.save,
      loadCreator: creators.load,
      saveCreator: creators.save,
      loadHolders: holders.load,
      saveHolders: holders.save,
      loadPowers: powers.load,
      savePowers: powers.save,
    },
    // Never in the ledger's file: a search writes with each request, and all of it can be read again.
    logIndexes: createLogIndexStore(pools, chain),
    poolIndex: createPoolIndexStore(pools, chain),
  };
}
