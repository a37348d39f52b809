import type { FactStore } from '../../engine/index.ts';
import { createCreators } from './creators.ts';
import { factMigrations } from './factMigrations.ts';
import { createFirstTransfers } from './firstTransfers.ts';
import { createHolderMeasurements } from './holderMeasurements.ts';
import { createLogIndexStore, type LogIndexStore } from './logIndexes.ts';
import { openDatabase } from './openDatabase.ts';
import { createPowerScans } from './powerScans.ts';

export interface Facts {
  store: FactStore;
  logIndexes: LogIndexStore;
  close(): void;
}

/**
 * What the service remembers of one chain's tokens, in an SQLite file of its own.
 *
 * @param file path, or `:memory:` (the sandbox: its chain is a new one at every start)
 * @param chain the chain that the facts are of; several may share a file
 */
export function openFacts(file: string, chain: string): Facts {
  const database = openDatabase(file, factMigrations);
  const firstTransfers = createFirstTransfers(database, chain);
  const creators = createCreators(database, chain);
  const holders = createHolderMeasurements(database, chain);
  const powers = createPowerScans(database, chain);
  return {
    store: {
      loadFirstTransfer: async (token) => firstTransfers.load(token),
      saveFirstTransfer: async (token, fact) => firstTransfers.save(token, fact),
      loadCreator: async (token) => creators.load(token),
      saveCreator: async (token, fact) => creators.save(token, fact),
      loadHolders: async (token) => holders.load(token),
      saveHolders: async (token, measurement) => holders.save(token, measurement),
      loadPowers: async (scanKey) => powers.load(scanKey),
      savePowers: async (scanKey, scan) => powers.save(scanKey, scan),
    },
    logIndexes: createLogIndexStore(database, chain),
    close: () => database.close(),
  };
}
