import type { UpdateResult } from 'kysely';
import { LedgerOrderError } from '../../payments/index.ts';

/** Asserts that an update changed a payment's state. @throws {LedgerOrderError} its state or owner allows no such update */
export function assertTransition({ numUpdatedRows }: UpdateResult, key: string, state: string): void {
  if (numUpdatedRows !== 1n)
    throw new LedgerOrderError(`Payment ${key} cannot become ${state} from its current state.`);
}
