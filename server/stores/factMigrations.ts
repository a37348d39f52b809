import { creatorsTable } from './creators.ts';
import { firstTransfersTable } from './firstTransfers.ts';
import { holderMeasurementsTable } from './holderMeasurements.ts';
import { logIndexTables } from './logIndexes.ts';
import type { Migrations } from './openDatabase.ts';
import { powerScansTable } from './powerScans.ts';

/** The tables of facts, oldest step first; once published, a change is a new step. */
export const factMigrations: Migrations = [
  [firstTransfersTable, creatorsTable, holderMeasurementsTable, powerScansTable, ...logIndexTables],
];
