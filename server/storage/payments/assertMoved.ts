import type { UpdateResult } from 'kysely';
import { LedgerOrderError } from '../../payments/index.ts';

/** @throws {LedgerOrderError} the step found no payment that could take it. */
export function assertMoved({ numUpdatedRows }: UpdateResult, key: string, to: string): void {
  if (numUpdatedRows !== 1n) throw new LedgerOrderError(`Payment ${key} cannot become ${to} from where it is.`);
}
